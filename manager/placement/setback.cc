#include "manager/placement/setback.h"

#include "manager/placement/rank.h"

namespace fedra::placement {

std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  if (failure == nullptr) return std::nullopt;
  const auto paused_until = PausedUntil(record, cluster, now);
  // How long a failure counts is no setting: every policy has the default.
  if (!paused_until && RecentFailure(record, cluster, Policy{}, now) == nullptr)
    return std::nullopt;
  return verdict::Setback{failure->message.empty() ? "did not keep the job" : failure->message,
                          failure->at, paused_until};
}

}  // namespace fedra::placement
