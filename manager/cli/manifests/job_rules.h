#pragma once
//
// What an API server refuses in a batch/v1 Job although every single field of it is right. Pure.
//
// A value of another type is job_schema.h's to tell; here it counts as not written.
//
// Source: ValidateJob of pkg/apis/batch/validation/validation.go, kubernetes/kubernetes v1.36.3.

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

void CheckJobRules(const nlohmann::json& job, Findings& findings);

}  // namespace fedra::cli
