#pragma once
//
// What of the answer about a job depends on the order in which a scheduler up to 1.35 comes to the
// pools and slices of a node, which is chance and another one for each pod and node
// (AllocatorFeatures::order_is_chance).
//
// Most often it does not, because what the requests can take is in one slice or alike
// (job_asks.h). Else all that chance can bring is played out (order_draws.h), within limits.
//
// Pure but for the caches.

#include "dra/judge/attempt.h"

namespace fedra::dra {

enum class OrderEffect {
  kNone,
  kCounts,   // how many pods fit; never all of them, as the answer, a No, says
  kVerdict,  // whether all fit, or whether an error or a search that is given up keeps them
};

struct OrderFinding {
  OrderEffect effect = OrderEffect::kNone;
  bool is_proven = true;  // else not all orders were played out
};

// `answer`: on this snapshot, in the order of ViewOf(). Where not all orders could be played out
// (three times the steps that the answer may take are for all of them together) kVerdict as well,
// or kCounts where the nodes lack room for some pod set whatever devices there are. Without
// `merges`, for tests, what is played out goes on as often from what several ways come to.
OrderFinding EffectOfOrder(const Question& question, const Attempt& answer,
                           const Snapshot& snapshot, JudgeCaches caches, bool merges = true);

}  // namespace fedra::dra
