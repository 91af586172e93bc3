#pragma once
//
// What an API server refuses in a pod template although every single field of it is right: names
// that are there twice, references to what the pod does not have, requests above limits. Pure.
//
// A value of another type is job_schema.h's to tell; here it counts as not written. How claims are
// named is manifest_pods.cc's.
//
// Source: ValidatePodTemplateSpec of pkg/apis/core/validation/validation.go and the defaults of
// pkg/apis/core/v1/defaults.go, kubernetes/kubernetes v1.36.3.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// `path` is where the template is: "spec.template".
void CheckPodRules(const nlohmann::json& pod_template, const std::string& path, Findings& findings);

}  // namespace fedra::cli
