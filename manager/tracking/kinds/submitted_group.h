#pragma once
//
// A group of pods as a person wrote it: the one job that Kueue makes of it, for `fedra check`.
// Pure.
//
// Source: constructGroupPodSets and validatePodGroupMetadata in pkg/controller/jobs/pod of Kueue
// 0.19.2. Pods of one role, those that ask for the same, are a pod set, which has the first one's
// template.

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/kinds/submitted.h"

namespace fedra::tracking {

// `pods`: of this group, not empty. kInvalidArgument, with what is wrong: Kueue makes no Workload
// of these, for they are fewer or more than the group says, or say different things of it.
Result<SubmittedJob> ParseSubmittedGroup(std::span<const nlohmann::json* const> pods,
                                         const JobAdapter& adapter, const ObjectKey& group);

}  // namespace fedra::tracking
