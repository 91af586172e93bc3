#pragma once
//
// What the slices of a cluster say about errors that a search can end with, and about what keeps
// verdicts from being certain. Found out once, until a slice changes (judge_memory.h).
//
// Pure.

#include <cstdint>
#include <memory>
#include <vector>

#include "dra/model/snapshot.h"

namespace fedra::dra {

struct PoolFacts {
  bool bad_selector = false;  // some node selector cannot be evaluated
  bool all_ready = true;      // every pool belongs to nodes, is complete and valid
  int64_t most_devices = 0;   // in the own pools of one node
  // Some device that is allocated as a whole takes of its node by a capacity (node_share.h).
  bool capacity_of_whole = false;
  // Pools with counters that one scheduler's attempt may confuse, group by group: they have one
  // name and several drivers (AllocatorFeatures::counters_by_pool_name).
  std::vector<std::vector<std::shared_ptr<const PoolState>>> of_one_name;
  // Slices with fields of feature gates that are off by default (gated_fields.h).
  std::vector<std::shared_ptr<const Slice>> gated;
};

PoolFacts FactsOf(const Snapshot& snapshot);

}  // namespace fedra::dra
