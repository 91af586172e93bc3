#include "manager/verify/device_stock.h"

#include <algorithm>

namespace fedra::verify {
namespace {

bool KeepsPodsAway(const std::vector<dra::Taint>& taints) {
  return std::any_of(taints.begin(), taints.end(), [](const dra::Taint& taint) {
    return taint.effect != dra::TaintEffect::kOther;
  });
}

bool IsTainted(const dra::PoolState& pool, const dra::Device& device, uint32_t slot) {
  if (!pool.features.device_taints) return false;
  if (device.extras && KeepsPodsAway(device.extras->taints)) return true;
  const auto rules =
      std::lower_bound(pool.rule_taints.begin(), pool.rule_taints.end(), slot,
                       [](const auto& entry, uint32_t wanted) { return entry.first < wanted; });
  return rules != pool.rule_taints.end() && rules->first == slot && KeepsPodsAway(rules->second);
}

// Of the newest generation: older slices are about to be replaced.
void Count(const dra::PoolState& pool, DeviceStock& stock) {
  int64_t newest = INT64_MIN;
  for (const auto& slice : pool.slices) newest = std::max(newest, slice->generation);
  for (size_t s = 0; s < pool.slices.size(); ++s) {
    const dra::Slice& slice = *pool.slices[s];
    if (slice.generation != newest) continue;
    for (uint32_t d = 0; d < slice.devices.size(); ++d) {
      const dra::Device& device = slice.devices[d];
      const dra::DeviceUse* use = pool.usage ? pool.usage->Find(device.name) : nullptr;
      if (use != nullptr && use->dedicated)
        ++stock.allocated;
      else if (use != nullptr && use->shared)
        ++stock.shared;
      else if (IsTainted(pool, device, pool.first_slot[s] + d))
        ++stock.tainted;
      else
        ++stock.free;
    }
  }
}

}  // namespace

std::map<std::string, DeviceStock> StockOf(const dra::Snapshot& snapshot) {
  std::map<std::string, DeviceStock> stocks;
  snapshot.pools().ForEach([&](const dra::PoolKey& key, const auto& pool) {
    const std::string driver = key.driver.str();
    const bool fits = stocks.size() < kMaxDriversCounted || stocks.contains(driver);
    Count(*pool, stocks[fits ? driver : "other"]);
  });
  return stocks;
}

}  // namespace fedra::verify
