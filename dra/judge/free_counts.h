#pragma once
//
// How many devices are left for a pod, counted per node rather than searched for.
//
// Pure but for the caches of the context.

#include <span>
#include <vector>

#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// Nodes, by position, that certainly have too few devices for some request of the pod; empty: not
// known. Found out once for all pods: placing pods takes devices and gives none back. `nearest`:
// noted of those nodes.
std::vector<bool> NodesWithTooFew(const SimulationContext& context, const ResolvedPod& resolved,
                                  const PodDemand& demand, NearestNode& nearest);

// Pods of one set that all fit. The demand outlives it.
struct FittedPods {
  const PodDemand* demand;
  ResolvedPod resolved;
};

// Devices that could be taken for some request of some set beyond what was placed, each once, on
// nodes that the set may use.
int CountHeadroom(const SimulationContext& context, std::span<const FittedPods> sets,
                  const PlacedPods& placed);

}  // namespace fedra::dra
