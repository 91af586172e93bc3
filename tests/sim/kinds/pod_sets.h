#pragma once
//
// Kueue's pod sets of a job, with what the cluster must have for them.
//
// Thread rules: under the store's lock.

#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/store.h"
#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

// Empty when an object that the job names is not there: Kueue cannot tell them then.
Json PodSetsOf(const Store& store, const Registry& registry, const JobKind& kind, const Json& job);

}  // namespace fedra::sim
