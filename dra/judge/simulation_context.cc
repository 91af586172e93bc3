#include "dra/judge/simulation_context.h"

#include <algorithm>

#include "dra/judge/node_share.h"
#include "dra/judge/order_draws.h"

namespace fedra::dra {

NodeView SimulationContext::See(const Node& node, const PodClaims& pod,
                                const PlacedPods& placed) const {
  return draws ? draws->See(*this, node, pod, placed) : ViewOf(snapshot, node);
}

NodeAllocation SimulationContext::Find(const PodClaims& pod, const NodeView& view,
                                       const Workspace& taken, uint64_t at_most) const {
  const uint64_t left = options.limits.max_steps - std::min(options.limits.max_steps, cost.steps);
  NodeAllocation found = Allocate(pod, view, &taken, caches.matches, snapshot.features(),
                                  {.max_steps = std::min(left, at_most)});
  cost.steps += found.steps;
  AddNodeShare(pod, view, found);
  return found;
}

}  // namespace fedra::dra
