#pragma once
//
// Mistakes in one request of a claim, or one alternative: how many devices, which taints it
// tolerates, how much of a device. Pure.
//
// Source: validation of resource.k8s.io/v1 in Kubernetes 1.36; what it accepts although the
// scheduler then ends with an error, or that cannot be meant, is a mistake as well.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// `request` has deviceClassName, count and the like; `path` is where it is.
void CheckCount(const nlohmann::json& request, const std::string& path, Findings& findings);
void CheckTolerations(const nlohmann::json& request, const std::string& path, Findings& findings);
void CheckCapacity(const nlohmann::json& request, const std::string& path, Findings& findings);

// That all requests of `devices`, spec.devices of a claim, together ask for what one claim can
// hold. What a single request has too many of is CheckCount()'s.
void CheckTotal(const nlohmann::json& devices, const std::string& path, Findings& findings);

}  // namespace fedra::cli
