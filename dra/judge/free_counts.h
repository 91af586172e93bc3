#pragma once
//
// How many devices are left for a pod, counted per node rather than searched for.
//
// Pure but for the caches of the context.

#include <vector>

#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// Nodes, by position, that certainly have too few devices for some request of the pod; empty: not
// known. Found out once for all pods: placing pods takes devices and gives none back. `nearest`:
// noted of those nodes.
std::vector<bool> NodesWithTooFew(const SimulationContext& context, const ResolvedPod& resolved,
                                  const PodDemand& demand, NearestNode& nearest);

// Devices that could be taken for some request beyond what was placed, on nodes the pod may use.
int CountHeadroom(const SimulationContext& context, const ResolvedPod& resolved,
                  const PodDemand& demand, const PlacedPods& placed);

}  // namespace fedra::dra
