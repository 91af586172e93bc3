#pragma once
//
// What the nearest node is short of, in numbers, for messages. Pure but for the MatchCache.
// `taken`: by pods placed before.

#include <map>
#include <string>

#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// For every free device that suits some request: the first counter that is too small for it; or,
// when each would fit alone, what they share.
std::vector<verdict::JointShortage::Amount> CounterShortages(const SimulationContext& context,
                                                             const Workspace& taken,
                                                             const Node& node,
                                                             const PodClaims& pod);

// Every request has a device that would do for it alone: what each takes of a capacity that is too
// small for all together, and the most that is left of it on one device.
std::vector<verdict::JointShortage::Amount> CapacityShortages(const SimulationContext& context,
                                                              const Workspace& taken,
                                                              const Node& node,
                                                              const PodClaims& pod);

// How many devices of the node each request finds: `found` and what belongs to it.
void CountOn(const SimulationContext& context, const Workspace& taken, const Node& node,
             const PodClaims& pod, verdict::JointShortage& shortage);

}  // namespace fedra::dra
