#include "manager/placement/setback.h"

#include "manager/placement/rank.h"

namespace fedra::placement {
namespace {

std::string WithoutName(const std::string& message, const ClusterName& cluster) {
  const std::string name = cluster.value + " ";
  return message.starts_with(name) ? message.substr(name.size()) : message;
}

}  // namespace

std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  if (failure == nullptr) return std::nullopt;
  const auto paused_until = PausedUntil(record, cluster, now);
  // How long a failure counts is no setting: every policy has the default.
  if (!paused_until && RecentFailure(record, cluster, Policy{}, now) == nullptr)
    return std::nullopt;
  const std::string words = WithoutName(failure->message, cluster);
  return verdict::Setback{words.empty() ? "did not keep the job" : words, failure->at,
                          paused_until};
}

}  // namespace fedra::placement
