#pragma once
//
// What the scheduler sees of all pools when it looks at one node: the order in which devices are
// tried, and what committed pods of a simulation have taken meanwhile.
//
// Thread rules: a NodeView is immutable and holds what it points into. A Workspace belongs to one
// simulation.

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dra/model/model.h"
#include "dra/model/pool.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

struct NodeView {
  const Node* node = nullptr;
  // Ascending by (driver, pool); pools with binding conditions after all others. Where
  // AllocatorFeatures::order_is_chance that is one order of several (pool_order.h).
  std::vector<std::shared_ptr<const PoolView>> pools;
  std::vector<std::shared_ptr<const PoolState>> states;  // parallel to `pools`
};

NodeView ViewOf(const Snapshot& snapshot, const Node& node);

// What pods placed earlier in the same simulation hold of one device.
struct SimulatedUse {
  bool dedicated = false;
  bool shared = false;
  // Capacity of it is recorded as consumed. A share of a device without capacities records none:
  // then the next pod's share must find the counters as if it was the first (up to 1.36,
  // AllocatorFeatures::empty_shares_hold_counters).
  bool capacity = false;
  bool assumed = false;  // some of it by jobs already dispatched here
  Amounts consumed;
};

// Everything placed so far in one simulation, over all nodes of one snapshot.
struct Workspace {
  struct Pool {
    std::unordered_map<uint32_t, SimulatedUse> devices;      // by slot
    std::map<std::pair<Symbol, Symbol>, Quantity> counters;  // consumption by (set, counter)
    std::map<Symbol, GroupUse> groups;  // by set: with what is allocated; absent: only that

    // Null: nothing is held of it.
    const SimulatedUse* Find(uint32_t slot) const {
      const auto at = devices.find(slot);
      return at == devices.end() ? nullptr : &at->second;
    }
  };
  std::unordered_map<PoolKey, Pool> pools;
  bool assumed = false;  // what is placed now is of jobs already dispatched

  // Null: nothing is held of it.
  const Pool* Find(const PoolKey& key) const {
    const auto at = pools.find(key);
    return at == pools.end() ? nullptr : &at->second;
  }
};

// The shares of a device that claims of the cluster and the simulation hold. `held`: may be null.
std::vector<const Amounts*> TakenOf(const ViewDevice& device, const SimulatedUse* held);

}  // namespace fedra::dra
