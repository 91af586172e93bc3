#pragma once
//
// Fields of feature gates that are off by default in the worker's release. Its API server keeps
// them only where an administrator has turned the gate on, or had; what the scheduler makes of them
// then is not judged.
//
// Source: dropDisabledFields of pkg/registry/resource/{resourceslice,resourceclaim,deviceclass}/
// strategy.go, v1.34.4 to v1.37.2. docs/releases.md has the gates.
//
// Pure functions.

#include <set>
#include <string>
#include <vector>

#include "dra/allocator/pod_claims.h"
#include "dra/judge/resolved_pod.h"
#include "dra/judge/simulation_context.h"
#include "dra/model/features.h"
#include "dra/model/model.h"
#include "dra/model/pod_demand.h"

namespace fedra::dra {

// One bit for each gate; 0: the slice has no such field.
unsigned GatedFieldsOf(const Slice& slice, const AllocatorFeatures& features);

// What may matter to the pod: its claims have it, or devices that match them do. In words, with the
// gate: "capacity of a request (DRAConsumableCapacity)". Empty: nothing. `pods`: its claims, on
// whatever nodes (ResolvedPod::EveryVariant).
std::vector<std::string> GatedFieldsFor(const PodDemand& demand,
                                        const std::set<const PodClaims*>& pods,
                                        const SimulationContext& context);

// Whether one attempt of the pod may ask for the counters of several pools that the scheduler takes
// for one (PoolFacts::of_one_name), on several nodes that its search comes to. What it reads is
// what the pool has that it comes to first, on whatever node, and nodes are looked at in parallel:
// `availableCounters` of structured/internal/incubating/allocator_incubating.go:103 and :1553,
// v0.36.3, is made once for a pod. A node that an allocated claim keeps out is searched, too
// (dynamicresources.go:779, :848 of v1.36.3).
bool ConfusesCounters(const ResolvedPod& pod, const std::set<const PodClaims*>& pods,
                      const SimulationContext& context);

}  // namespace fedra::dra
