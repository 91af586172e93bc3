#include "manager/placement/setback.h"

#include "manager/placement/rank.h"

namespace fedra::placement {

bool IsForgotten(WallTime failed_at, std::optional<WallTime> retry_at, WallTime now) {
  return retry_at && *retry_at <= now && failed_at < *retry_at;
}

std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  if (failure == nullptr) return std::nullopt;
  const auto paused_until = PausedUntil(record, cluster, now);
  if (!paused_until && RecentFailure(record, cluster, now) == nullptr) return std::nullopt;
  return verdict::Setback{failure->message, failure->at, paused_until};
}

}  // namespace fedra::placement
