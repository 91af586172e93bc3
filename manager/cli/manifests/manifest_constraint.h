#pragma once
//
// Mistakes in one constraint of a claim: which attribute must agree, and between which requests.
// Pure. Source: validation of resource.k8s.io/v1 in Kubernetes 1.36.

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// `requests`: the names in the claim, "req" and "req/sub"; `path` is where the constraint is.
void CheckConstraint(const nlohmann::json& constraint, const std::string& path,
                     const std::set<std::string>& requests, Findings& findings);

}  // namespace fedra::cli
