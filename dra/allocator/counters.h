#pragma once
//
// Shared counters of partitionable devices while devices are being chosen: a device is accepted
// when no counter of its pool runs out. The ledger is used by the search only.
//
// Source: checkAvailableCounters in structured/internal/incubating, 1.36.3. A counter that is
// negative already (more allocated than published) blocks every device of the pool that consumes
// counters. Up to 1.36 the pools of two drivers share one table when they have the same name
// (kubernetes#140434): the table of the pool that is asked for first.
//
// Thread rules: a ledger belongs to one search and its thread; HasCounters() is pure. Lifetime:
// node and workspace must outlive the ledger.

#include <cstdint>
#include <vector>

#include "dra/model/node_view.h"

namespace fedra::dra {

// Whether the pool's counters suffice for the device beside what is allocated and `held` (null:
// nothing). A device that is shared already has its counters. Pools of the same name are left out
// of account.
bool HasCounters(const PoolView& view, size_t device, const Workspace::Pool* held,
                 const AllocatorFeatures& features);

class CounterLedger final {
 public:
  CounterLedger(const NodeView& node, const Workspace* workspace, bool by_pool_name);

  // Takes the counters of the device if all suffice; false and no change if not.
  bool Take(uint32_t pool, uint32_t device);
  // Whether Take() would succeed; the state does not change.
  bool Suffices(uint32_t pool, uint32_t device);
  // The reverse of a successful Take().
  void GiveBack(uint32_t pool, uint32_t device);
  // Whether the pool shares its table with another one that has counters, too.
  bool Collides(uint32_t pool) const { return collides_[pool]; }
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

  const NodeView& node_;
  const Workspace* workspace_;
  std::vector<uint32_t> table_of_pool_;
  std::vector<bool> collides_;
  std::vector<Table> tables_;
};

}  // namespace fedra::dra
