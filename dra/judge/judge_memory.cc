#include "dra/judge/judge_memory.h"

#include <algorithm>
#include <span>
#include <utility>

#include "dra/allocator/candidates.h"
#include "dra/allocator/capacity.h"
#include "dra/allocator/counters.h"

namespace fedra::dra {
namespace {

// Few jobs have node constraints of their own making.
constexpr size_t kMaxAdmitting = 64;
// One per kind of request and kind of node constraints.
constexpr size_t kMaxFree = 256;
constexpr size_t kMaxReports = 256;
// One per kind of node constraints and amount of cpu and memory.
constexpr size_t kMaxRanks = 64;
// One per kind of job.
constexpr size_t kMaxByOrder = 64;

// Whether both requests get the same report.
bool AskTheSame(const DeviceRequest& a, const DeviceRequest& b) {
  return a.mode == b.mode && a.count == b.count && a.admin_access == b.admin_access &&
         a.tolerations == b.tolerations && a.has_capacity == b.has_capacity &&
         a.capacity == b.capacity;
}

// Looks at the devices of one view, slice by slice.
class FreeFinder final {
 public:
  FreeFinder(const PoolView& view, const std::vector<MatchKey>& keys,
             const AllocatorFeatures& features, const Workspace* taken, MatchCache& matches)
      : view_(view),
        keys_(keys),
        features_(features),
        held_(taken ? taken->Find(view.key) : nullptr),
        matches_(matches) {}

  // Whether the device could be taken for one of the requests. Devices in the order of the view.
  bool IsFree(uint32_t device, bool own_counters);

 private:
  bool Suits(const ViewDevice& device, size_t key) const;

  const PoolView& view_;
  const std::vector<MatchKey>& keys_;
  const AllocatorFeatures& features_;
  const Workspace::Pool* held_;
  MatchCache& matches_;
  const Slice* slice_ = nullptr;
  std::vector<std::span<const uint8_t>> codes_;  // per request, of the slice
};

bool FreeFinder::Suits(const ViewDevice& device, size_t key) const {
  if (codes_[key][device.index] != kMatches) return false;
  const DeviceRequest& terms = keys_[key].terms;
  if (BlockingTaint(device, terms, features_)) return false;
  if (!features_.consumable_capacity) return true;
  const bool unused = !device.use || !device.use->consumed;
  if (unused && terms.capacity.empty() && !HasPolicy(*device.device)) return true;
  return CapacityFits(*device.device, terms, TakenOf(device, nullptr), features_);
}

bool FreeFinder::IsFree(uint32_t index, bool own_counters) {
  const ViewDevice& device = view_.devices[index];
  if (device.slice != slice_) {
    slice_ = device.slice;
    codes_.clear();
    for (const MatchKey& key : keys_) codes_.push_back(matches_.Match(key.match, *slice_));
  }
  if (device.use && device.use->dedicated) return false;
  if (held_ && held_->devices.contains(device.slot)) return false;
  size_t key = 0;
  while (key < keys_.size() && !Suits(device, key)) ++key;
  return key < keys_.size() && (!own_counters || HasCounters(view_, index, held_, features_));
}

// Whether a pool of the same name shares the view's counters (counters_by_pool_name).
bool HasOwnCounters(const PoolView& view, const NodePools& pools,
                    const AllocatorFeatures& features) {
  if (!features.counters_by_pool_name) return true;
  return std::none_of(pools.views.begin(), pools.views.end(), [&](const auto& entry) {
    return entry.second && entry.second.get() != &view && !entry.second->counters.empty() &&
           entry.second->key.pool == view.key.pool;
  });
}

// Every node sees the same.
bool IsEverywhere(const PoolState& pool) {
  return std::all_of(pool.slices.begin(), pool.slices.end(), [&](const auto& slice) {
    return slice->reach.all_nodes || IsCounterSlice(*slice, pool.features);
  });
}

bool Concerns(MatchCache& matches, ConjunctionId conjunction, const Slice& slice) {
  if (matches.HasFailure(conjunction, slice)) return true;
  const auto codes = matches.Match(conjunction, slice);
  return std::find(codes.begin(), codes.end(), kMatches) != codes.end();
}

}  // namespace

MatchKey MatchKeyOf(const SubRequest& ask) {
  MatchKey key{.match = ask.match, .terms = {}};
  key.terms.tolerations = ask.request->tolerations;
  key.terms.capacity = ask.request->capacity;
  key.terms.has_capacity = ask.request->has_capacity;
  return key;
}

void AddMatchKeys(const PodClaims& pod, std::vector<MatchKey>& keys) {
  for (const SubRequest& ask : pod.asks) {
    MatchKey key = MatchKeyOf(ask);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
}

int CountFreeDevices(const NodePools& pools, const std::vector<MatchKey>& keys,
                     const AllocatorFeatures& features, const Workspace* taken,
                     MatchCache& matches) {
  int count = 0;
  for (const auto& [state, view] : pools.views) {
    if (!view) continue;
    const bool own_counters = HasOwnCounters(*view, pools, features);
    FreeFinder finder(*view, keys, features, taken, matches);
    for (uint32_t i = 0; i < view->devices.size(); ++i) count += finder.IsFree(i, own_counters);
  }
  return count;
}

FreeRoaming FindFreeDevices(std::shared_ptr<const PoolState> pool,
                            const std::vector<const Node*>& nodes,
                            const std::vector<MatchKey>& keys, const AllocatorFeatures& features,
                            MatchCache& matches) {
  FreeRoaming free{.pool = std::move(pool), .slots = {}};
  std::vector<bool> found(free.pool->slot_count);
  const bool everywhere = IsEverywhere(*free.pool);
  for (const Node* node : nodes) {
    const auto view = MakePoolView(*free.pool, *node);
    if (!view) continue;
    FreeFinder finder(*view, keys, features, nullptr, matches);
    for (uint32_t i = 0; i < view->devices.size(); ++i) {
      const ViewDevice& device = view->devices[i];
      if (device.node_fit != NodeFit::kYes || found[device.slot] || !finder.IsFree(i, true))
        continue;
      found[device.slot] = true;
      free.slots.push_back(device.slot);
    }
    if (everywhere || free.slots.size() == found.size()) break;
  }
  return free;
}

void JudgeMemory::Refresh(const Snapshot& snapshot, const MatchCache& matches) {
  const bool other_matches = matches_epoch_ != matches.epoch();
  const bool other_slices = slices_serial_ != snapshot.slices_serial();
  const bool other_nodes = nodes_serial_ != snapshot.nodes_serial();
  if (other_matches || other_slices) {
    can_fail_.clear();
    meets_several_.clear();
  }
  if (other_slices) pools_.reset();
  if (other_matches || other_slices || other_nodes) by_order_.clear();
  if (other_nodes) {
    admitting_.clear();
    ranks_.clear();
  }
  if (other_matches || other_nodes) free_.clear();
  if (other_matches || other_nodes || use_serial_ != snapshot.use_serial()) reports_.clear();
  matches_epoch_ = matches.epoch();
  slices_serial_ = snapshot.slices_serial();
  nodes_serial_ = snapshot.nodes_serial();
  use_serial_ = snapshot.use_serial();
}

const JudgeMemory::FreeCluster& JudgeMemory::WithFreePools(const Snapshot& snapshot) {
  free_cluster_.snapshot = snapshot.WithFreePools(free_cluster_.snapshot.get());
  if (!free_cluster_.memory) free_cluster_.memory = std::make_unique<JudgeMemory>();
  return free_cluster_;
}

const AdmittingNodes& JudgeMemory::NodesFor(const NodeConstraints& constraints,
                                            const Snapshot& snapshot, const MatchCache& matches) {
  Refresh(snapshot, matches);
  for (const AdmittingNodes& known : admitting_)
    if (known.constraints == constraints) return known;
  if (admitting_.size() >= kMaxAdmitting) {
    admitting_.clear();
    free_.clear();
    ranks_.clear();
    reports_.clear();
  }
  AdmittingNodes& added = admitting_.emplace_back();
  added.id = ++last_id_;
  added.constraints = constraints;
  snapshot.nodes().ForEach([&](const Symbol&, const auto& node) {
    if (auto refusal = Refuses(*node, constraints))
      ++added.refused[*std::move(refusal)];
    else
      added.nodes.push_back(node.get());
  });
  return added;
}

bool JudgeMemory::CanFail(ConjunctionId conjunction, const Snapshot& snapshot,
                          MatchCache& matches) {
  Refresh(snapshot, matches);
  const auto [at, is_new] = can_fail_.try_emplace(conjunction, false);
  if (!is_new) return at->second;
  snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) -> bool {
    for (const auto& slice : pool->slices)
      at->second = at->second || matches.HasFailure(conjunction, *slice);
    return !at->second;
  });
  return at->second;
}

bool JudgeMemory::MeetsSeveralSlices(ConjunctionId conjunction, const Snapshot& snapshot,
                                     MatchCache& matches) {
  Refresh(snapshot, matches);
  const auto [at, is_new] = meets_several_.try_emplace(conjunction, false);
  if (!is_new) return at->second;
  ptrdiff_t roaming = 0, local = 0;
  snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& pool) {
    for (const auto& slice : pool->slices) roaming += Concerns(matches, conjunction, *slice);
  });
  snapshot.node_pools().ForEach([&](const Symbol&, const auto& pools) {
    ptrdiff_t of_node = 0;
    const Slice* last = nullptr;
    for (const auto& [pool, view] : pools->views) {
      if (!view) continue;
      for (const ViewDevice& device : view->devices) {
        if (device.slice == last) continue;
        last = device.slice;
        of_node += Concerns(matches, conjunction, *last);
      }
    }
    local = std::max(local, of_node);
  });
  return at->second = roaming + local > 1;
}

const std::set<Symbol>* JudgeMemory::NodesByOrder(const std::vector<AskKey>& asks,
                                                  const Snapshot& snapshot,
                                                  const MatchCache& matches) {
  Refresh(snapshot, matches);
  const auto at = std::find_if(by_order_.begin(), by_order_.end(),
                               [&](const auto& known) { return known.first == asks; });
  return at == by_order_.end() ? nullptr : &at->second;
}

void JudgeMemory::KeepNodesByOrder(const std::vector<AskKey>& asks, std::set<Symbol> nodes) {
  if (by_order_.size() >= kMaxByOrder) by_order_.clear();
  by_order_.emplace_back(asks, std::move(nodes));
}

const PoolFacts& JudgeMemory::Pools(const Snapshot& snapshot, const MatchCache& matches) {
  Refresh(snapshot, matches);
  if (!pools_) pools_ = FactsOf(snapshot);
  return *pools_;
}

JudgeMemory::FreeEntry& JudgeMemory::EntryOf(uint64_t nodes, const std::vector<MatchKey>& keys) {
  for (FreeEntry& entry : free_)
    if (entry.nodes == nodes && entry.keys == keys) return entry;
  if (free_.size() >= kMaxFree) free_.clear();
  return free_.emplace_back(FreeEntry{.nodes = nodes, .keys = keys, .free = {}});
}

const FreeDevices& JudgeMemory::FreeOn(const NodeConstraints& constraints,
                                       const std::vector<MatchKey>& keys, const Snapshot& snapshot,
                                       MatchCache& matches) {
  const AdmittingNodes& admitting = NodesFor(constraints, snapshot, matches);
  FreeEntry& entry = EntryOf(admitting.id, keys);
  if (entry.use_serial == snapshot.use_serial()) return entry.free;
  entry.use_serial = snapshot.use_serial();
  const auto& nodes = admitting.nodes;
  entry.free.pools.resize(nodes.size());
  entry.free.on_node.resize(nodes.size());
  size_t next = 0;
  const auto count = [&](const std::shared_ptr<const NodePools>& pools) {
    if (entry.free.pools[next] != pools) {
      int& free = entry.free.on_node[next];
      entry.free.total -= free;
      free = pools ? CountFreeDevices(*pools, keys, snapshot.features(), nullptr, matches) : 0;
      entry.free.total += free;
      entry.free.pools[next] = pools;
    }
    ++next;
  };
  snapshot.node_pools().ForEach([&](const Symbol& name, const auto& pools) {
    while (next < nodes.size() && nodes[next]->name < name) count(nullptr);
    if (next < nodes.size() && nodes[next]->name == name) count(pools);
  });
  while (next < nodes.size()) count(nullptr);
  std::vector<FreeRoaming> known = std::exchange(entry.free.roaming, {});
  snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& pool) {
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const FreeRoaming& free) { return free.pool == pool; });
    entry.free.roaming.push_back(
        at != known.end() ? std::move(*at)
                          : FindFreeDevices(pool, nodes, keys, snapshot.features(), matches));
  });
  return entry.free;
}

std::shared_ptr<const NodeRanks> JudgeMemory::RanksOf(const NodeConstraints& constraints,
                                                      const Load& pod,
                                                      const std::shared_ptr<const NodeUse>& used,
                                                      const Snapshot& snapshot,
                                                      const MatchCache& matches) {
  const AdmittingNodes& admitting = NodesFor(constraints, snapshot, matches);
  const bool change_of_balance = snapshot.features().scores_change_of_balance;
  if (ranks_used_ != used || ranks_.size() >= kMaxRanks) ranks_.clear();
  ranks_used_ = used;
  for (const RanksEntry& known : ranks_)
    if (known.nodes == admitting.id && known.pod == pod &&
        known.change_of_balance == change_of_balance)
      return known.ranks;
  auto ranks = std::make_shared<const NodeRanks>(
      RankNodes(admitting.nodes, constraints.tolerations, pod, used.get(), change_of_balance));
  return ranks_.emplace_back(RanksEntry{admitting.id, pod, change_of_balance, std::move(ranks)})
      .ranks;
}

RequestReport JudgeMemory::ReportOn(const NodeConstraints& constraints, const PodClaims& pod,
                                    uint32_t ask_index, const Snapshot& snapshot,
                                    MatchCache& matches) {
  const AdmittingNodes& admitting = NodesFor(constraints, snapshot, matches);
  const SubRequest& ask = pod.asks[ask_index];
  for (const Report& known : reports_) {
    if (known.nodes != admitting.id || known.match != ask.match) continue;
    if (known.device_class != ask.device_class || !AskTheSame(known.request, *ask.request))
      continue;
    RequestReport report = known.report;
    report.NameAfter(pod, ask);
    return report;
  }
  const auto usable = [&](const Node& node) {
    return std::binary_search(admitting.nodes.begin(), admitting.nodes.end(), &node,
                              [](const Node* a, const Node* b) { return a->name < b->name; });
  };
  if (reports_.size() >= kMaxReports) reports_.clear();
  RequestReport report = Explain(pod, ask_index, snapshot, usable, nullptr, matches);
  reports_.push_back({admitting.id, ask.match, ask.device_class, *ask.request, report});
  return report;
}

}  // namespace fedra::dra
