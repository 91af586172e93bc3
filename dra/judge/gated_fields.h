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

#include <string>
#include <vector>

#include "dra/allocator/pod_claims.h"
#include "dra/judge/simulation_context.h"
#include "dra/model/features.h"
#include "dra/model/model.h"
#include "dra/model/pod_demand.h"

namespace fedra::dra {

// One bit for each gate; 0: the slice has no such field.
unsigned GatedFieldsOf(const Slice& slice, const AllocatorFeatures& features);

// What may matter to the pod: its claims have it, or devices that match them do. In words, with the
// gate: "capacity of a request (DRAConsumableCapacity)". Empty: nothing.
std::vector<std::string> GatedFieldsFor(const PodDemand& demand, const PodClaims& pod,
                                        const SimulationContext& context);

}  // namespace fedra::dra
