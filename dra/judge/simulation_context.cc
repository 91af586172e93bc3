#include "dra/judge/simulation_context.h"

#include <algorithm>

namespace fedra::dra {

NodeAllocation SimulationContext::Find(const PodClaims& pod, const NodeView& view,
                                       const Workspace& taken) const {
  const uint64_t most = options.limits.max_steps;
  NodeAllocation found = Allocate(pod, view, &taken, caches.matches, snapshot.features(),
                                  {.max_steps = most - std::min(most, cost.steps)});
  cost.steps += found.steps;
  return found;
}

}  // namespace fedra::dra
