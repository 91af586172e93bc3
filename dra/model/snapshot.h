#pragma once
//
// Snapshot: everything of one worker cluster that decides an allocation, frozen at one moment, and
// SnapshotBuilder, which turns object changes into new snapshots.
//
// Consecutive snapshots share all that did not change: publishing after one slice changed costs the
// pool of that slice, its nodes, and a few map paths, whatever the size of the cluster.
//
// Thread rules: a Snapshot is immutable; use it from any thread through its shared_ptr. A
// SnapshotBuilder belongs to one thread at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.h"
#include "dra/model/features.h"
#include "dra/model/model.h"
#include "dra/model/persistent_map.h"
#include "dra/model/pool.h"

namespace fedra::dra {

// The pools of one node that belong to nodes: no labels have to be looked at. Ascending by
// (driver, pool). A null view: the node has slices of the pool, but all of them are outdated.
struct NodePools {
  std::vector<std::pair<std::shared_ptr<const PoolState>, std::shared_ptr<const PoolView>>> views;
};

class Snapshot final {
 public:
  using Pools = PersistentMap<PoolKey, std::shared_ptr<const PoolState>>;
  using Classes = PersistentMap<Symbol, std::shared_ptr<const DeviceClass>>;
  using Claims = PersistentMap<ObjectKey, std::shared_ptr<const Claim>>;
  using Templates = PersistentMap<ObjectKey, std::shared_ptr<const ClaimTemplate>>;
  using Nodes = PersistentMap<Symbol, std::shared_ptr<const Node>>;

  // Increases with every publication of one builder.
  uint64_t generation() const { return generation_; }
  // Unique in the process, and new whenever the slices (with their taints), what is allocated of
  // them, the nodes or the classes have changed. New slices make a new use_serial(), too.
  uint64_t slices_serial() const { return slices_serial_; }
  uint64_t use_serial() const { return use_serial_; }
  uint64_t nodes_serial() const { return nodes_serial_; }
  uint64_t classes_serial() const { return classes_serial_; }
  const AllocatorFeatures& features() const { return features_; }

  const Pools& pools() const { return pools_; }
  const Classes& classes() const { return classes_; }
  const Claims& claims() const { return claims_; }
  const Templates& templates() const { return templates_; }
  const Nodes& nodes() const { return nodes_; }

  using PoolsOfNodes = PersistentMap<Symbol, std::shared_ptr<const NodePools>>;
  // By node name; nodes without pools are left out.
  const PoolsOfNodes& node_pools() const { return node_pools_; }
  // Null when there is none.
  const NodePools* PoolsOf(const Symbol& node) const;
  // Pools whose slices must be compared with a node's labels.
  const Pools& roaming_pools() const { return roaming_; }
  // Pools of some nodes that every other node sees as incomplete, invalid or broken (through their
  // counter slices).
  const Pools& troubled_pools() const { return troubled_; }

  // The same cluster after this claim has lost its allocation.
  std::shared_ptr<const Snapshot> WithoutAllocation(const ObjectKey& claim) const;
  // The same cluster with every device free; claims still tell what they are allocated. `known`: an
  // earlier answer, of use if it is about the same slices; may be null.
  std::shared_ptr<const Snapshot> WithFreePools(const Snapshot* known) const;
  // The same cluster with these templates besides; each comes before one of its name that is there.
  // Costs a few map paths, whatever the size of the cluster.
  std::shared_ptr<const Snapshot> WithTemplates(
      std::span<const std::shared_ptr<const ClaimTemplate>> templates) const;

 private:
  friend class SnapshotBuilder;
  void SetPool(const PoolKey& key, std::shared_ptr<const PoolState> pool);
  void RemoveFromIndex(const PoolState& pool);
  void AddToIndex(const std::shared_ptr<const PoolState>& pool);

  AllocatorFeatures features_;
  uint64_t generation_ = 0;
  uint64_t slices_serial_ = 0;
  uint64_t use_serial_ = 0;
  uint64_t nodes_serial_ = 0;
  uint64_t classes_serial_ = 0;
  Pools pools_;
  Pools roaming_;
  Pools troubled_;
  PoolsOfNodes node_pools_;
  Classes classes_;
  Claims claims_;
  Templates templates_;
  Nodes nodes_;
};

class SnapshotBuilder final {
 public:
  explicit SnapshotBuilder(AllocatorFeatures features);

  // Another scheduler decides there from now on; all objects stay. Whether that changes anything.
  bool SetFeatures(AllocatorFeatures features);

  // Each replaces the object of the same name, and says whether that changes anything: an object of
  // the same content does not, nor does removing what is not there.
  bool SetSlice(Slice slice);
  bool RemoveSlice(const Symbol& name);
  bool SetClaim(Claim claim);
  bool RemoveClaim(const ObjectKey& key);
  bool SetClass(DeviceClass device_class);
  bool RemoveClass(const Symbol& name);
  bool SetTemplate(ClaimTemplate claim_template);
  bool RemoveTemplate(const ObjectKey& key);
  bool SetTaintRule(TaintRule rule);
  bool RemoveTaintRule(const std::string& name);
  bool SetNode(Node node);
  bool RemoveNode(const Symbol& name);

  const AllocatorFeatures& features() const { return next_.features_; }
  bool HasTaintRules() const { return !taint_rules_.empty(); }
  // Whether the claim is known, with an allocation.
  bool IsAllocated(const ObjectKey& claim) const;

  // The state of all changes so far; the same pointer again if there were none.
  std::shared_ptr<const Snapshot> Publish();

 private:
  void MarkSlices(const PoolKey& pool);
  void MarkPoolsOf(const Claim& claim);
  void MarkPoolsOf(const TaintRule& rule);
  std::shared_ptr<const PoolState> BuildPool(const PoolKey& key) const;
  std::shared_ptr<const PoolUsage> BuildUsage(const PoolKey& key) const;

  Snapshot next_;
  std::shared_ptr<const Snapshot> published_;
  bool changed_ = true;
  std::unordered_map<Symbol, std::shared_ptr<const Slice>> slices_;
  std::unordered_map<PoolKey, std::map<Symbol, std::shared_ptr<const Slice>>> slices_of_pool_;
  std::unordered_map<PoolKey, std::set<ObjectKey>> claims_of_pool_;
  std::map<std::string, TaintRule> taint_rules_;
  std::set<PoolKey> dirty_pools_;
};

}  // namespace fedra::dra
