#include "dra/judge_memory.h"

#include <algorithm>
#include <span>

namespace fedra::dra {
namespace {

// Few jobs have node constraints of their own making.
constexpr size_t kMaxAdmitting = 64;
// One per kind of request and kind of node constraints.
constexpr size_t kMaxFree = 256;
constexpr size_t kMaxReports = 256;

// Whether both requests get the same report.
bool AskTheSame(const DeviceRequest& a, const DeviceRequest& b) {
  return a.mode == b.mode && a.count == b.count && a.admin_access == b.admin_access &&
         a.tolerations == b.tolerations && a.has_capacity == b.has_capacity &&
         a.capacity == b.capacity;
}

bool IsReady(const PoolState& pool) {
  if (pool.roaming) return false;
  if (pool.elsewhere && pool.elsewhere->status != PoolStatus::kReady) return false;
  return std::all_of(pool.local_views.begin(), pool.local_views.end(), [](const auto& entry) {
    return !entry.second || entry.second->status == PoolStatus::kReady;
  });
}

}  // namespace

int CountFreeDevices(const NodePools& pools, const std::vector<ConjunctionId>& conjunctions,
                     const Workspace* taken, MatchCache& matches) {
  int count = 0;
  std::vector<std::span<const uint8_t>> codes;  // of the slice that is being counted
  for (const auto& [state, view] : pools.views) {
    if (!view) continue;
    const Workspace::Pool* held = taken ? taken->Find(view->key) : nullptr;
    const Slice* slice = nullptr;
    for (const ViewDevice& device : view->devices) {
      if (device.slice != slice) {
        slice = device.slice;
        codes.clear();
        for (const ConjunctionId conjunction : conjunctions)
          codes.push_back(matches.Match(conjunction, *slice));
      }
      if (device.use && device.use->dedicated) continue;
      if (held && held->devices.contains(device.slot)) continue;
      count += std::any_of(codes.begin(), codes.end(),
                           [&](const auto& code) { return code[device.index] == kMatches; });
    }
  }
  return count;
}

void JudgeMemory::Refresh(const Snapshot& snapshot, const MatchCache& matches) {
  const bool other_matches = matches_epoch_ != matches.epoch();
  const bool other_slices = slices_serial_ != snapshot.slices_serial();
  const bool other_nodes = nodes_serial_ != snapshot.nodes_serial();
  if (other_matches || other_slices) can_fail_.clear();
  if (other_slices) pools_.reset();
  if (other_nodes) admitting_.clear();
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
    reports_.clear();
  }
  AdmittingNodes& added = admitting_.emplace_back();
  added.id = ++last_id_;
  added.constraints = constraints;
  snapshot.nodes().ForEach([&](const Text&, const auto& node) {
    const NodeAnswer answer = Admits(*node, constraints);
    if (answer.fits())
      added.nodes.push_back(node.get());
    else
      ++added.refused[answer.what];
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

const PoolFacts& JudgeMemory::Pools(const Snapshot& snapshot, const MatchCache& matches) {
  Refresh(snapshot, matches);
  if (pools_) return *pools_;
  PoolFacts& facts = pools_.emplace();
  std::map<Text, int64_t> devices;  // that a node sees
  snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) {
    facts.bad_selector = facts.bad_selector || pool->bad_selector;
    facts.all_ready = facts.all_ready && IsReady(*pool);
    for (const auto& [node, view] : pool->local_views)
      if (view) devices[node] += static_cast<int64_t>(view->devices.size());
  });
  for (const auto& [node, count] : devices)
    facts.most_devices = std::max(facts.most_devices, count);
  return facts;
}

const FreeDevices& JudgeMemory::FreeOn(const NodeConstraints& constraints,
                                       const std::vector<ConjunctionId>& conjunctions,
                                       const Snapshot& snapshot, MatchCache& matches) {
  const AdmittingNodes& admitting = NodesFor(constraints, snapshot, matches);
  const FreeKey key{admitting.id, conjunctions};
  if (free_.size() >= kMaxFree && !free_.contains(key)) free_.clear();
  FreeEntry& entry = free_[key];
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
      free = pools ? CountFreeDevices(*pools, conjunctions, nullptr, matches) : 0;
      entry.free.total += free;
      entry.free.pools[next] = pools;
    }
    ++next;
  };
  snapshot.node_pools().ForEach([&](const Text& name, const auto& pools) {
    while (next < nodes.size() && nodes[next]->name < name) count(nullptr);
    if (next < nodes.size() && nodes[next]->name == name) count(pools);
  });
  while (next < nodes.size()) count(nullptr);
  return entry.free;
}

RequestReport JudgeMemory::ReportOn(const NodeConstraints& constraints, const PodClaims& pod,
                                    uint32_t ask_index, const Snapshot& snapshot,
                                    MatchCache& matches) {
  const AdmittingNodes& admitting = NodesFor(constraints, snapshot, matches);
  const Ask& ask = pod.asks[ask_index];
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
