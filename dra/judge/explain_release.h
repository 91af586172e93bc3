#pragma once
//
// What of a worker's release keeps a verdict from being certain.

#include "dra/judge/explanation.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// Whether a No of the pods is none because of it, whatever they lack.
bool DoubtsNo(const PlacementTrace& trace);

// `explanation`: of these pods; it becomes Unknown where there is such a thing.
void ExplainRelease(const SimulationContext& context, const PlacementTrace& trace,
                    Explanation& explanation);

}  // namespace fedra::dra
