#include "dra/judge_memory.h"

#include <algorithm>

namespace fedra::dra {
namespace {

// Few jobs have node constraints of their own making.
constexpr size_t kMaxAdmitting = 64;

bool Matches(const ViewDevice& device, const std::vector<ConjunctionId>& conjunctions,
             MatchCache& matches) {
  return std::any_of(conjunctions.begin(), conjunctions.end(), [&](ConjunctionId conjunction) {
    return matches.Match(conjunction, *device.slice)[device.index] == kMatches;
  });
}

bool IsReady(const PoolState& pool) {
  if (pool.roaming) return false;
  if (pool.elsewhere && pool.elsewhere->status != PoolStatus::kReady) return false;
  return std::all_of(pool.local_views.begin(), pool.local_views.end(), [](const auto& entry) {
    return !entry.second || entry.second->status == PoolStatus::kReady;
  });
}

}  // namespace

int CountFreeDevices(const std::vector<const Node*>& nodes,
                     const std::vector<ConjunctionId>& conjunctions, const Snapshot& snapshot,
                     const Workspace* taken, MatchCache& matches) {
  int count = 0;
  for (const Node* node : nodes) {
    const NodePools* local = snapshot.PoolsOf(node->name);
    if (local == nullptr) continue;
    for (const auto& [state, view] : local->views) {
      if (!view) continue;
      const Workspace::Pool* held = nullptr;
      if (taken)
        if (const auto at = taken->pools.find(view->key); at != taken->pools.end())
          held = &at->second;
      for (const ViewDevice& device : view->devices) {
        if (device.use && device.use->dedicated) continue;
        if (held && held->devices.contains(device.slot)) continue;
        if (Matches(device, conjunctions, matches)) ++count;
      }
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
  if (other_matches || other_nodes || use_serial_ != snapshot.use_serial()) free_devices_.clear();
  matches_epoch_ = matches.epoch();
  slices_serial_ = snapshot.slices_serial();
  nodes_serial_ = snapshot.nodes_serial();
  use_serial_ = snapshot.use_serial();
}

const AdmittingNodes& JudgeMemory::NodesFor(const NodeConstraints& constraints,
                                            const Snapshot& snapshot, const MatchCache& matches) {
  Refresh(snapshot, matches);
  for (const AdmittingNodes& known : admitting_)
    if (known.constraints == constraints) return known;
  if (admitting_.size() >= kMaxAdmitting) {
    admitting_.clear();
    free_devices_.clear();
  }
  AdmittingNodes& added = admitting_.emplace_back();
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

int JudgeMemory::FreeDevices(const NodeConstraints& constraints,
                             const std::vector<ConjunctionId>& conjunctions,
                             const Snapshot& snapshot, MatchCache& matches) {
  const AdmittingNodes& nodes = NodesFor(constraints, snapshot, matches);
  const auto [at, is_new] = free_devices_.try_emplace(FreeKey{&nodes, conjunctions}, 0);
  if (is_new) at->second = CountFreeDevices(nodes.nodes, conjunctions, snapshot, nullptr, matches);
  return at->second;
}

}  // namespace fedra::dra
