#pragma once
//
// Resource pools: which slices count, whether the pool can be used, what of it is taken, and how it
// looks from one node.
//
// Follows GatherPools of k8s.io/dynamic-resource-allocation/structured (incubating, 1.36.3): only
// slices relevant to the node count; among them only the newest generation; a pool whose newest
// slices are elsewhere vanishes; a pool with missing slices is incomplete; contradictions make it
// invalid.
//
// Thread rules: everything here is immutable after construction.
// Lifetime: a PoolView points into the PoolState it was made of; hold the PoolState.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dra/model/features.h"
#include "dra/model/model.h"

namespace fedra::dra {

using Amounts = std::vector<std::pair<Symbol, Quantity>>;  // by capacity name, ascending

// `more` is added to `sum`, name by name. A sum that no Quantity holds becomes larger than it is,
// never smaller: nothing has room for it.
void AddAmounts(Amounts& sum, const Amounts& more);
// Null: not among them.
const Quantity* FindAmount(const Amounts& amounts, const Symbol& name);

// What the claims of the cluster hold of one device.
struct DeviceUse {
  Symbol device;
  std::vector<ObjectKey> holders;   // claims, admin access left out
  bool dedicated = false;           // held as a whole by some claim
  bool shared = false;              // held in shares by some claim
  std::optional<Amounts> consumed;  // sum over the shares; absent if no share recorded any
};

struct PoolUsage {
  std::vector<DeviceUse> devices;  // ascending by device name; free devices are left out

  const DeviceUse* Find(const Symbol& device) const;
};

// What one claim holds is added to (a copy of) `usage`. Results of other pools are left out.
void AddUse(PoolUsage& usage, const PoolKey& pool, const Claim& claim,
            const AllocatorFeatures& features);

enum class NodeFit : uint8_t { kYes, kNo, kError };

struct ViewDevice {
  const Slice* slice;
  const Device* device;
  uint32_t index;                    // in the slice
  uint32_t slot;                     // in the pool: equal for devices of equal name
  const DeviceUse* use;              // null: free
  const std::vector<Taint>* taints;  // of DeviceTaintRules; null: none
  NodeFit node_fit;                  // per-device node selection
};

// Whether the node lacks a feature that the devices of the slice need to be prepared there.
bool LacksOperations(const Node& node, const Slice& slice, const AllocatorFeatures& features);

// Which nodes can reach the device: what its slice says, or, with per-device selection, it itself.
const NodeReach& ReachOf(const ViewDevice& device);

// A counter of the pool and what the allocated devices left of it (may be negative).
struct ViewCounter {
  const Slice* scope;  // null, or the slice it belongs to (AllocatorFeatures::counters_per_slice)
  Symbol set;
  Symbol name;
  Quantity available;
};

// What a device takes of which counter of the view.
struct Consumption {
  uint32_t counter;
  const Quantity* amount;
};

// Which devices may still join those that take of a counter set, by their compatibility groups
// (compatibilityGroupIntersection in compatibility_groups.go of the experimental allocator, 1.37).
struct GroupUse {
  bool any = false;            // some device takes of the set
  bool ungrouped = false;      // and has no groups: no device that has some may join
  std::vector<Symbol> common;  // else: the groups that all of them have, ascending

  bool Admits(const std::vector<Symbol>& groups) const;
  void Add(const std::vector<Symbol>& groups);
};

// A counter set of which some device with groups takes, and the allocated devices that do.
struct ViewGroups {
  Symbol set;
  GroupUse allocated;
};

enum class PoolStatus : uint8_t {
  kReady,
  kIncomplete,  // slices of the current generation are missing
  kInvalid,     // its slices contradict each other
  kBroken,      // a node selector cannot be evaluated: every allocation on the node is an error
};

struct PoolView {
  PoolKey key;
  PoolStatus status = PoolStatus::kReady;
  std::string problem;              // why it is not kReady: "has 1 of 2 slices of generation 3"
  std::vector<ViewDevice> devices;  // in the order of the search; only for a usable pool
  std::vector<ViewCounter> counters;
  std::vector<Consumption> consumption;
  std::vector<uint32_t> consumption_begin;  // per device and one more; empty without counters
  std::vector<ViewGroups> groups;           // where compatibility groups matter; empty: nowhere
  bool negative_consumption = false;  // some device adds to a counter; no API server accepts that
  bool has_binding_conditions = false;

  std::span<const Consumption> ConsumptionOf(size_t device) const {
    if (consumption_begin.empty()) return {};
    return std::span(consumption)
        .subspan(consumption_begin[device],
                 consumption_begin[device + 1] - consumption_begin[device]);
  }
};

// One pool of one cluster.
struct PoolState {
  PoolKey key;
  std::vector<std::shared_ptr<const Slice>> slices;  // all generations, ascending by name
  std::shared_ptr<const PoolUsage> usage;            // null: nothing is allocated
  std::vector<std::pair<uint32_t, std::vector<Taint>>> rule_taints;  // by slot, ascending
  AllocatorFeatures features;

  // Derived.
  std::vector<uint32_t> first_slot;                    // per slice
  std::vector<std::pair<uint32_t, uint32_t>> aliases;  // slots of repeated names -> first slot
  uint32_t slot_count = 0;
  // Some node selector cannot be evaluated: nodes that come to it see a broken pool.
  bool bad_selector = false;
  // Some slice must be compared with each node's labels: views are made per node.
  bool roaming = false;
  // Without `roaming`: the views of the nodes that own slices, ascending by node name. Null: the
  // node has only outdated slices and sees nothing of the pool.
  std::vector<std::pair<Symbol, std::shared_ptr<const PoolView>>> local_views;
  // Without `roaming`: how all other nodes see the pool; null = not at all.
  std::shared_ptr<const PoolView> elsewhere;
};

// Slices with counters serve the pool's other slices; their own devices are never allocated.
bool IsCounterSlice(const Slice& slice, const AllocatorFeatures& features);
// Relevant to every node, whatever their node selection.
bool IsEverywhere(const Slice& slice, const AllocatorFeatures& features);
// Slices that a scheduler without partitionable devices does not look at.
bool IsIgnored(const Slice& slice, const AllocatorFeatures& features);

// `slices` ascending by name.
std::shared_ptr<const PoolState> MakePoolState(PoolKey key,
                                               std::vector<std::shared_ptr<const Slice>> slices,
                                               std::shared_ptr<const PoolUsage> usage,
                                               std::span<const TaintRule* const> rules,
                                               const AllocatorFeatures& features);

// The same slices and taints with another usage.
std::shared_ptr<const PoolState> WithUsage(const PoolState& pool,
                                           std::shared_ptr<const PoolUsage> usage);

// How `node` sees the pool; null if it does not exist for the node.
std::shared_ptr<const PoolView> MakePoolView(const PoolState& pool, const Node& node);

}  // namespace fedra::dra
