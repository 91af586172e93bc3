#include "dra/judge/pool_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "dra/judge/gated_fields.h"

namespace fedra::dra {
namespace {

bool IsReady(const PoolState& pool) {
  if (pool.roaming) return false;
  if (pool.elsewhere && pool.elsewhere->status != PoolStatus::kReady) return false;
  return std::all_of(pool.local_views.begin(), pool.local_views.end(), [](const auto& entry) {
    return !entry.second || entry.second->status == PoolStatus::kReady;
  });
}

using PoolGroup = std::vector<std::shared_ptr<const PoolState>>;

std::vector<PoolGroup> PoolsOfOneName(const Snapshot& snapshot) {
  std::vector<PoolGroup> groups;
  if (!snapshot.features().counters_by_pool_name || !snapshot.features().partitionable_devices)
    return groups;
  std::map<Symbol, PoolGroup> by_name;
  snapshot.pools().ForEach([&](const PoolKey& key, const auto& pool) {
    if (std::any_of(pool->slices.begin(), pool->slices.end(),
                    [](const auto& slice) { return !slice->counters.empty(); }))
      by_name[key.pool].push_back(pool);
  });
  for (auto& [name, pools] : by_name)
    if (pools.size() > 1) groups.push_back(std::move(pools));
  return groups;
}

bool HasCapacityOfWhole(const PoolState& pool) {
  const auto is_such = [](const Device& device) {
    if (device.extras == nullptr || device.allow_multiple.value_or(false)) return false;
    const std::vector<NodeMapping>& mappings = device.extras->of_node;
    return std::any_of(mappings.begin(), mappings.end(),
                       [](const NodeMapping& mapping) { return !mapping.capacity.empty(); });
  };
  return std::any_of(pool.slices.begin(), pool.slices.end(), [&](const auto& slice) {
    return std::any_of(slice->devices.begin(), slice->devices.end(), is_such);
  });
}

}  // namespace

PoolFacts FactsOf(const Snapshot& snapshot) {
  PoolFacts facts;
  std::map<Symbol, int64_t> devices;  // that a node sees
  snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) {
    facts.bad_selector = facts.bad_selector || pool->bad_selector;
    facts.all_ready = facts.all_ready && IsReady(*pool);
    facts.capacity_of_whole = facts.capacity_of_whole || HasCapacityOfWhole(*pool);
    for (const auto& slice : pool->slices)
      if (GatedFieldsOf(*slice, pool->features) != 0) facts.gated.push_back(slice);
    for (const auto& [node, view] : pool->local_views)
      if (view) devices[node] += static_cast<int64_t>(view->devices.size());
  });
  facts.of_one_name = PoolsOfOneName(snapshot);
  for (const auto& [node, count] : devices)
    facts.most_devices = std::max(facts.most_devices, count);
  return facts;
}

}  // namespace fedra::dra
