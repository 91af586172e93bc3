#pragma once
//
// Manifests of APIs that Kubernetes has had, and no maintained one serves: how old they are, and
// what has taken their place. Pure.
//
// Source: pkg/apis/resource and api/openapi-spec of Kubernetes 1.26 to 1.32.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// Which Kubernetes served a version of resource.k8s.io that is gone: "1.27 to 1.30"; empty: the
// version is not known, or still served.
std::string_view ReleasesOf(std::string_view version);

// Whether it is of a kind that resource.k8s.io has no more, as ResourceClass; then that is a
// finding, with what to write.
bool CheckOutdatedKind(const Manifest& manifest, std::vector<Finding>& findings);

// Of a gang that another scheduler's API describes: what it is in Kueue; empty: it is none.
std::string GangHint(const nlohmann::json& object);

}  // namespace fedra::cli
