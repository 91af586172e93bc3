#include "manager/verify/quota_amounts.h"

#include <limits>

namespace fedra::verify {

void QuotaAmounts::Change(const std::string& resource, Int128 by) {
  if (by == 0) return;
  const auto amount = of_.try_emplace(resource, 0).first;
  amount->second += by;
  if (amount->second == 0) of_.erase(amount);
}

void QuotaAmounts::Add(std::span<const dra::PodDemand> demands) {
  for (const dra::PodDemand& demand : demands) {
    for (const auto& [resource, each] : demand.requests) {
      if (each.Sign() > 0) Change(resource.str(), Int128{each.MilliValue()} * demand.count);
    }
  }
}

void QuotaAmounts::Subtract(std::span<const dra::PodDemand> demands) {
  QuotaAmounts sum;
  sum.Add(demands);
  Subtract(sum);
}

void QuotaAmounts::Add(const QuotaAmounts& other) {
  for (const auto& [resource, amount] : other.of_) Change(resource, amount);
}

void QuotaAmounts::Subtract(const QuotaAmounts& other) {
  for (const auto& [resource, amount] : other.of_) Change(resource, -amount);
}

int64_t QuotaAmounts::MilliOf(const std::string& resource) const {
  const auto amount = of_.find(resource);
  if (amount == of_.end()) return 0;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return amount->second > kMost ? kMost : static_cast<int64_t>(amount->second);
}

}  // namespace fedra::verify
