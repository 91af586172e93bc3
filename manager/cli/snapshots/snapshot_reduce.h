#pragma once
//
// What is left of an object in a snapshot: the fields that decide placement, and nothing else.
// Others' annotations, managed fields, containers' images, commands and environment, opaque
// parameters of drivers never get in: only what is named here does. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cluster-clients/kube/resource.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/verify/objects.h"

namespace fedra::cli {

// Nothing when the object has no say: a pod that has ended, a job of ours (`origin`). `kinds`: of
// jobs, by whose labels pods are recognized.
std::optional<nlohmann::json> Reduced(const kube::Resource& resource, const nlohmann::json& object,
                                      const std::string& origin, const tracking::JobKinds& kinds);

// A job, or a copy of one: whose it is, and whether it has ended.
nlohmann::json ReducedJob(const nlohmann::json& object, const std::string& origin);

// A ResourceClaimTemplate. What a driver or a pod reads of it (opaque parameters, metadata of the
// claims) is left as a digest, so that copies can still be compared.
nlohmann::json ReducedTemplate(const verify::ClaimSummary& claim_template);

}  // namespace fedra::cli
