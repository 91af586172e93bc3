#include "manager/placement/setback.h"

#include "manager/placement/rank.h"

namespace fedra::placement {

std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  if (failure == nullptr) return std::nullopt;
  const auto paused_until = PausedUntil(record, cluster, now);
  if (!paused_until && RecentFailure(record, cluster, now) == nullptr) return std::nullopt;
  return verdict::Setback{failure->message, failure->at, paused_until};
}

}  // namespace fedra::placement
