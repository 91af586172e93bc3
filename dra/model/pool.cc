#include "dra/model/pool.h"

#include <algorithm>
#include <unordered_map>

#include "dra/model/node_match.h"

namespace fedra::dra {
namespace {

DeviceUse& UseOf(PoolUsage& usage, const Symbol& device) {
  const auto at =
      std::lower_bound(usage.devices.begin(), usage.devices.end(), device,
                       [](const DeviceUse& use, const Symbol& name) { return use.device < name; });
  if (at != usage.devices.end() && at->device == device) return *at;
  DeviceUse use;
  use.device = device;
  return *usage.devices.insert(at, std::move(use));
}

bool Selects(const TaintRule& rule, const PoolKey& pool, const Symbol& device,
             const AllocatorFeatures& features) {
  if (rule.is_empty && !features.empty_rules_taint) return false;
  return (rule.driver.empty() || rule.driver == pool.driver) &&
         (rule.pool.empty() || rule.pool == pool.pool) &&
         (rule.device.empty() || rule.device == device);
}

void AssignSlots(PoolState& pool) {
  std::unordered_map<Symbol, uint32_t> seen;
  uint32_t next = 0;
  for (const auto& slice : pool.slices) {
    pool.first_slot.push_back(next);
    for (const Device& device : slice->devices) {
      const auto [first, is_new] = seen.emplace(device.name, next);
      if (!is_new) pool.aliases.emplace_back(next, first->second);
      ++next;
    }
  }
  pool.slot_count = next;
}

void ApplyRules(PoolState& pool, std::span<const TaintRule* const> rules) {
  if (rules.empty()) return;
  for (size_t s = 0; s < pool.slices.size(); ++s) {
    for (size_t d = 0; d < pool.slices[s]->devices.size(); ++d) {
      std::vector<Taint> taints;
      for (const TaintRule* rule : rules)
        if (Selects(*rule, pool.key, pool.slices[s]->devices[d].name, pool.features))
          taints.push_back(rule->taint);
      if (!taints.empty())
        pool.rule_taints.emplace_back(pool.first_slot[s] + static_cast<uint32_t>(d),
                                      std::move(taints));
    }
  }
}

bool IsBad(const NodeReach& reach) {
  static const Node any_node;
  return reach.selector && !Matches(*reach.selector, any_node);
}

bool HasBadSelector(const Slice& slice) {
  return IsBad(slice.reach) ||
         std::any_of(slice.devices.begin(), slice.devices.end(), [](const Device& device) {
           return device.extras && IsBad(device.extras->reach);
         });
}

void MakeLocalViews(PoolState& pool) {
  const Node nowhere;
  pool.elsewhere = MakePoolView(pool, nowhere);
  for (const auto& slice : pool.slices) {
    const Symbol& name = slice->reach.node_name;
    if (name.empty()) continue;
    const auto at = std::lower_bound(
        pool.local_views.begin(), pool.local_views.end(), name,
        [](const auto& entry, const Symbol& node_name) { return entry.first < node_name; });
    if (at != pool.local_views.end() && at->first == name) continue;
    Node node;
    node.name = name;
    pool.local_views.insert(at, {name, MakePoolView(pool, node)});
  }
}

}  // namespace

void AddAmounts(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    const auto at = std::lower_bound(sum.begin(), sum.end(), name,
                                     [](const std::pair<Symbol, Quantity>& entry,
                                        const Symbol& key) { return entry.first < key; });
    if (at == sum.end() || at->first != name)
      sum.insert(at, {name, amount});
    else
      at->second = at->second.AddUp(amount);
  }
}

const Quantity* FindAmount(const Amounts& amounts, const Symbol& name) {
  for (const auto& [key, amount] : amounts)
    if (key == name) return &amount;
  return nullptr;
}

bool GroupUse::Admits(const std::vector<Symbol>& groups) const {
  if (!any) return true;
  if (groups.empty() || ungrouped) return groups.empty() && ungrouped;
  return std::any_of(groups.begin(), groups.end(), [&](const Symbol& group) {
    return std::binary_search(common.begin(), common.end(), group);
  });
}

// Devices that do not go together are only allocated when their slice was changed afterwards.
void GroupUse::Add(const std::vector<Symbol>& groups) {
  if (!any) {
    any = true;
    ungrouped = groups.empty();
    common = groups;
  } else if (!ungrouped && !groups.empty()) {
    std::erase_if(common, [&](const Symbol& group) {
      return !std::binary_search(groups.begin(), groups.end(), group);
    });
  }
}

const DeviceUse* PoolUsage::Find(const Symbol& device) const {
  const auto at =
      std::lower_bound(devices.begin(), devices.end(), device,
                       [](const DeviceUse& use, const Symbol& name) { return use.device < name; });
  return at != devices.end() && at->device == device ? &*at : nullptr;
}

void AddUse(PoolUsage& usage, const PoolKey& pool, const Claim& claim,
            const AllocatorFeatures& features) {
  if (!claim.allocation) return;
  for (const AllocatedDevice& result : claim.allocation->devices) {
    if (result.pool != pool || result.admin_access) continue;
    DeviceUse& use = UseOf(usage, result.device);
    if (use.holders.empty() || use.holders.back() != claim.key) use.holders.push_back(claim.key);
    if (!features.consumable_capacity || !result.share) {
      use.dedicated = true;
      continue;
    }
    use.shared = true;
    if (!result.consumed) continue;
    if (!use.consumed) use.consumed.emplace();
    AddAmounts(*use.consumed, *result.consumed);
  }
}

bool LacksOperations(const Node& node, const Slice& slice, const AllocatorFeatures& features) {
  return features.optional_operations && slice.skips_operations && !node.optional_operations;
}

const NodeReach& ReachOf(const ViewDevice& device) {
  static const NodeReach none;
  if (!device.slice->per_device) return device.slice->reach;
  return device.device->extras ? device.device->extras->reach : none;
}

std::shared_ptr<const PoolState> MakePoolState(PoolKey key,
                                               std::vector<std::shared_ptr<const Slice>> slices,
                                               std::shared_ptr<const PoolUsage> usage,
                                               std::span<const TaintRule* const> rules,
                                               const AllocatorFeatures& features) {
  auto pool = std::make_shared<PoolState>();
  pool->key = std::move(key);
  pool->slices = std::move(slices);
  pool->usage = std::move(usage);
  pool->features = features;
  AssignSlots(*pool);
  if (features.device_taints && features.device_taint_rules) ApplyRules(*pool, rules);
  pool->roaming = std::any_of(pool->slices.begin(), pool->slices.end(), [&](const auto& slice) {
    return !IsIgnored(*slice, features) && !IsEverywhere(*slice, features) &&
           slice->reach.node_name.empty();
  });
  pool->bad_selector = std::any_of(pool->slices.begin(), pool->slices.end(),
                                   [](const auto& slice) { return HasBadSelector(*slice); });
  if (!pool->roaming) MakeLocalViews(*pool);
  return pool;
}

std::shared_ptr<const PoolState> WithUsage(const PoolState& pool,
                                           std::shared_ptr<const PoolUsage> usage) {
  auto copy = std::make_shared<PoolState>(pool);
  copy->usage = std::move(usage);
  copy->local_views.clear();
  if (!copy->roaming) MakeLocalViews(*copy);
  return copy;
}

}  // namespace fedra::dra
