#pragma once
//
// Shared counters of partitionable devices while devices are being chosen: a device is accepted
// when no counter of its pool runs out, and its compatibility groups go with those of all others
// that take of the same counter sets. The ledger is used by the search only.
//
// Source: checkAvailableCounters in structured/internal/incubating, 1.36.3. A counter that is
// negative already (more allocated than published) blocks every device of the pool that consumes
// counters. Up to 1.36 the pools of two drivers share one table when they have the same name
// (kubernetes#140434): the table of the pool that is asked for first. Groups:
// checkAndConsumeCompatibilityGroups in structured/internal/experimental, 1.37.2.
//
// Thread rules: a ledger belongs to one search and its thread; HasCounters() is pure. Lifetime:
// node and workspace must outlive the ledger.

#include <cstdint>
#include <utility>
#include <vector>

#include "dra/model/node_view.h"

namespace fedra::dra {

// Whether the pool's counters suffice for the device beside what is allocated and `held` (null:
// nothing), and its groups go with them. A device that is shared already has its counters. Pools of
// the same name are left out of account.
bool HasCounters(const PoolView& view, size_t device, const Workspace::Pool* held,
                 const AllocatorFeatures& features);

// The counter set whose devices in use, allocated or `held` (null: none), the device's groups do
// not go with. Null: there is none, or the device is shared already.
const Symbol* FindGroupConflict(const PoolView& view, size_t device, const Workspace::Pool* held,
                                const AllocatorFeatures& features);

struct LedgerRules {
  bool by_pool_name = false;  // AllocatorFeatures::counters_by_pool_name
  bool counters = true;       // else every amount is there
  bool groups = true;         // else all go together
};

class CounterLedger final {
 public:
  CounterLedger(const NodeView& node, const Workspace* workspace, const LedgerRules& rules);

  // Takes the counters of the device if all suffice and its groups go with those of the others;
  // false and no change if not.
  bool Take(uint32_t pool, uint32_t device);
  // The reverse of the last successful Take() for the pool that was not taken back.
  void GiveBack(uint32_t pool, uint32_t device);
  // Whether the pool shares its table with another one that has counters, too.
  bool Collides(uint32_t pool) const { return pools_[pool].collides; }
  // What is left now of a counter of the pool's own view.
  Quantity Left(uint32_t pool, uint32_t counter);

 private:
  struct Table {
    const PoolView* view = nullptr;  // whose counters; null until the first device is asked for
    std::vector<Quantity> left;      // parallel to view->counters
    bool overdrawn = false;
  };

  Table& TableOf(uint32_t pool);
  // Index in the table, or -1: a counter of another driver's pool, which the allocator does not
  // check.
  static int64_t Translate(const Table& table, const PoolView& view, uint32_t counter);
  // Subtracts `sign` times the consumption.
  void Apply(Table& table, const PoolView& view, uint32_t device, int sign);
  bool TakeCounters(uint32_t pool, uint32_t device);
  bool TakeGroups(uint32_t pool, uint32_t device);
  void GiveBackGroups(uint32_t pool);  // of the device taken last

  struct PoolGroups {
    std::vector<GroupUse> uses;                       // parallel to the view's; empty until asked
    std::vector<std::pair<uint32_t, GroupUse>> undo;  // what each change has replaced
    std::vector<size_t> changes;                      // per device taken
  };

  struct Pool {
    uint32_t table = 0;  // the pool whose table it uses: itself, or an earlier one of its name
    bool collides = false;
    Table counters;
    PoolGroups groups;
  };

  const NodeView& node_;
  const Workspace* workspace_;
  const LedgerRules rules_;
  std::vector<Pool> pools_;  // parallel to the node's
};

}  // namespace fedra::dra
