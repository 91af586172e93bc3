#pragma once
//
// What all parts of one simulation ask and what they spend: plain references, handed on by value.
//
// Thread rules: one judgement, one thread. Lifetime: everything referred to outlives the
// simulation.

#include <cstdint>

#include "dra/allocator/allocator.h"
#include "dra/judge/judge.h"
#include "dra/judge/judge_memory.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

// What a judgement has spent on searching, in steps of Allocate().
struct SearchCost {
  uint64_t steps = 0;
  uint64_t explaining = 0;  // to find out why something does not fit
};

class OrderDraws;
struct PlacedPods;

struct SimulationContext {
  const Snapshot& snapshot;
  JudgeCaches caches;
  JudgeMemory& memory;
  const JudgeOptions& options;
  SearchCost& cost;
  // In which order pods come to pools and slices; null: in that of ViewOf().
  OrderDraws* draws = nullptr;

  // What the pod whose turn it is sees of the node.
  NodeView See(const Node& node, const PodClaims& pod, const PlacedPods& placed) const;
  // Allocate() with what the devices take of the node, paid from what this judgement has left to
  // search. `taken`: by pods placed before. `at_most`: steps for this one.
  NodeAllocation Find(const PodClaims& pod, const NodeView& view, const Workspace& taken,
                      uint64_t at_most = UINT64_MAX) const;
  bool BudgetIsSpent() const { return cost.steps >= options.limits.max_steps; }
  const AllocatorFeatures& features() const { return snapshot.features(); }
};

}  // namespace fedra::dra
