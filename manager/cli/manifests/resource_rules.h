#pragma once
//
// What an API server refuses in the resources of a container: names, amounts below zero or in
// fractions, requests above limits, claims that are named twice. Pure.
//
// Source: validateResourceRequirements of pkg/apis/core/validation/validation.go and
// pkg/apis/core/helper/helpers.go, kubernetes/kubernetes v1.36.3.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// `path` is where `resources` stand. What is no quantity is job_schema.h's to tell.
void CheckResources(const nlohmann::json& resources, const std::string& path, Findings& findings);

}  // namespace fedra::cli
