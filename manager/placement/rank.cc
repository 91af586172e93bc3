#include "manager/placement/rank.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/backoff.h"

namespace fedra::placement {
namespace {

constexpr ExponentialBackoff kPause{std::chrono::seconds(10), kLongestPause};

}  // namespace

bool IsEligible(const ClusterView& cluster, const Policy& policy) {
  if (cluster.contact != Contact::kFull || !cluster.allowed) return false;
  switch (cluster.verdict.outcome) {
    case verdict::Outcome::kYes:
    case verdict::Outcome::kMayScale:
      return true;
    case verdict::Outcome::kUnknown:
      return policy.unknown == UnknownPolicy::kTryLast && !cluster.resyncing;
    case verdict::Outcome::kNo:
      return false;
  }
  return false;
}

bool IsQueueFull(const verdict::Verdict& verdict) {
  return std::ranges::any_of(verdict.reasons, [](const verdict::Reason& reason) {
    return reason.code == verdict::ReasonCode::kQueueFull;
  });
}

const Failure* FailureOf(const PlacementRecord& record, const ClusterName& cluster) {
  const auto found =
      std::find_if(record.failures.begin(), record.failures.end(),
                   [&](const Failure& failure) { return failure.cluster == cluster; });
  return found == record.failures.end() ? nullptr : &*found;
}

const Failure* RecentFailure(const PlacementRecord& record, const ClusterName& cluster,
                             WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  return failure != nullptr && failure->at + kFailureMemory > now ? failure : nullptr;
}

bool FailedInRound(const PlacementRecord& record, const ClusterName& cluster) {
  const Failure* failure = FailureOf(record, cluster);
  return record.nominated_at && failure != nullptr && failure->at >= *record.nominated_at;
}

std::optional<WallTime> PausedUntil(const PlacementRecord& record, const ClusterName& cluster,
                                    WallTime now) {
  const Failure* failure = FailureOf(record, cluster);
  if (failure == nullptr || !failure->refused) return std::nullopt;
  const WallTime until = failure->at + kPause.After(failure->times);
  return until > now ? std::optional(until) : std::nullopt;
}

std::vector<const ClusterView*> Rank(std::span<const ClusterView> clusters,
                                     const PlacementRecord& record, const Policy& policy,
                                     WallTime now) {
  std::vector<const ClusterView*> ranked;
  for (const ClusterView& cluster : clusters) {
    if (IsEligible(cluster, policy)) ranked.push_back(&cluster);
  }
  // Of two that failed, the one whose failure is older comes first: so all of them get their turn.
  const auto failed_at = [&](const ClusterView* cluster) {
    const Failure* failure = RecentFailure(record, cluster->name, now);
    return failure == nullptr ? WallTime::min() : failure->at;
  };
  const auto key = [&](const ClusterView* cluster) {
    const verdict::Verdict& verdict = cluster->verdict;
    const int alternatives =
        std::accumulate(verdict.alternatives.begin(), verdict.alternatives.end(), 0);
    return std::tuple(verdict.outcome, failed_at(cluster), IsQueueFull(verdict),
                      -cluster->claims_in_use, alternatives, -verdict.headroom,
                      cluster->waiting_clones);
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const ClusterView* a, const ClusterView* b) { return key(a) < key(b); });
  return ranked;
}

}  // namespace fedra::placement
