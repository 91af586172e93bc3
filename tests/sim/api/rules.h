#pragma once
//
// What an API server does with an object beyond storing it: defaults, validation, immutable fields.
// As much of Kubernetes 1.36, of Kueue 0.19's CRD rules and webhooks and of fedra's own CRD as can
// refuse something that fedra writes.
//
// Pure: values in, values or a refusal out.
// Thread rules: free functions.

#include "tests/sim/api/status.h"

namespace fedra::sim {

// At creation, after metadata is complete. `body` has no status.
void SetDefaults(const ResourceType& type, Json& body);
Outcome<void> CheckCreate(const ResourceType& type, const Json& body);

// Of what an update carries, as the object is decoded: one that leaves out a default is no change.
void SetUpdateDefaults(const ResourceType& type, Json& body);
// `before` is the stored object with its status; `after` everything but the status.
Outcome<void> CheckUpdate(const ResourceType& type, const Json& before, const Json& after);

// `object` is the stored object with its old status.
Outcome<void> CheckStatus(const ResourceType& type, const Json& object, const Json& status);

// There is a condition of that type with that status; "True".
bool ConditionIs(const Json& status, std::string_view condition_type, std::string_view wanted);
bool ConditionTrue(const Json& status, std::string_view condition_type);

// Parts of the above, one file each.
void SetJobDefaults(Json& job);
std::vector<FieldError> CheckJob(const Json& job);
std::vector<FieldError> CheckJobUpdate(const Json& before, const Json& after);
std::vector<FieldError> CheckJobStatus(const Json& job, const Json& status);
std::vector<FieldError> CheckPlacementRecord(const Json& record);
Outcome<void> CheckWorkloadUpdate(const ResourceType& type, const Json& before, const Json& after);
Outcome<void> CheckWorkloadStatus(const ResourceType& type, const Json& workload,
                                  const Json& status);

}  // namespace fedra::sim
