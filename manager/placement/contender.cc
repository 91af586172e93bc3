#include "manager/placement/contender.h"

#include <algorithm>

namespace fedra::placement {

std::string_view ToString(OrderPolicy policy) {
  switch (policy) {
    case OrderPolicy::kStrict:
      return "Strict";
    case OrderPolicy::kBackfill:
      return "Backfill";
    case OrderPolicy::kBestEffort:
      return "BestEffort";
  }
  return {};
}

std::optional<OrderPolicy> ParseOrderPolicy(std::string_view text) {
  using enum OrderPolicy;
  for (const OrderPolicy policy : {kStrict, kBackfill, kBestEffort}) {
    if (ToString(policy) == text) return policy;
  }
  return std::nullopt;
}

std::weak_ordering QueueRank::operator<=>(const QueueRank& other) const {
  if (priority != other.priority) return other.priority <=> priority;
  if (turn != other.turn) return std::weak_order(turn, other.turn);
  if (since != other.since) return since <=> other.since;
  return workload <=> other.workload;
}

bool WaitsAnywhere(const Bids& bids) {
  return std::any_of(bids.begin(), bids.end(),
                     [](const auto& bid) { return bid.second.chance == Bid::Chance::kWaits; });
}

bool AreAlike(const Bids& a, const Bids& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.first == right.first && left.second.IsLike(right.second);
                    });
}

}  // namespace fedra::placement
