#pragma once
//
// Whether the answer about a job depends on the order in which a scheduler up to 1.35 comes to the
// pools and slices of a node, which is chance and another one for each pod and node
// (AllocatorFeatures::order_is_chance).
//
// Most often it does not, because what the requests can take is in one slice or alike
// (job_asks.h). Else all that chance can bring is played out (order_draws.h), within limits.
//
// Pure but for the caches.

#include "dra/judge/attempt.h"

namespace fedra::dra {

// `answer`: on this snapshot, in the order of ViewOf(). Compared is how many pods of each pod set
// fit, and whether the scheduler ends with an error or gives up where they do. True as well where
// not all orders could be played out: as many steps as the answer may take are for all of them
// together.
bool DependsOnOrder(const Question& question, const Attempt& answer, const Snapshot& snapshot,
                    JudgeCaches caches);

}  // namespace fedra::dra
