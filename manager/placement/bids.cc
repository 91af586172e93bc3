#include "manager/placement/bids.h"

#include <algorithm>

#include "manager/placement/rank.h"

namespace fedra::placement {
namespace {

Bid::Chance ChanceOn(const ClusterView& cluster, const PlacementRecord& record,
                     const Policy& policy, WallTime now) {
  if (IsEligible(cluster, policy))
    return PausedUntil(record, cluster.name, now) ? Bid::Chance::kNone : Bid::Chance::kFits;
  const bool waits =
      cluster.contact == Contact::kFull && cluster.allowed && cluster.verdict.fits_when_free;
  return waits ? Bid::Chance::kWaits : Bid::Chance::kNone;
}

}  // namespace

std::optional<Contender> ContenderOf(const tracking::Workload& workload,
                                     const OrderSettings& settings,
                                     const tracking::SharedQueue* queue, bool by_weight) {
  if (!workload.QuotaReserved() || !workload.nominated.empty()) return std::nullopt;
  if (workload.requirement.demands == nullptr ||
      !tracking::NeedDevices(*workload.requirement.demands))
    return std::nullopt;
  Contender contender{.rank = {.priority = workload.priority.value,
                               .since = workload.created,
                               .workload = workload.key},
                      .reserved_at = workload.quota_reserved->since,
                      .order = settings};
  if (queue != nullptr)
    contender.order.policy = ParseOrderPolicy(queue->order).value_or(settings.policy);
  if (by_weight) {
    contender.share = Share{.queue = workload.cluster_queue,
                            .weight = queue == nullptr ? 1.0 : queue->weight.value_or(1.0),
                            .cost = static_cast<double>(std::max(workload.requirement.Pods(), 1))};
  }
  return contender;
}

Bids BidsOf(std::span<const ClusterView> clusters, const PlacementRecord& record,
            const Policy& policy, const std::map<ClusterName, uint64_t>& as_of, WallTime now) {
  Bids bids;
  for (const ClusterView& cluster : clusters) {
    if (cluster.serving == nullptr) continue;
    const auto version = as_of.find(cluster.name);
    const int missing = cluster.verdict.pods_wanted - cluster.verdict.pods_fitting;
    bids[cluster.name] = {.chance = ChanceOn(cluster, record, policy, now),
                          .as_of = version == as_of.end() ? 0 : version->second,
                          .missing = missing,
                          .devices = cluster.serving};
  }
  return bids;
}

void StandInLine(const std::map<ClusterName, Turn>& turns, std::span<ClusterView> clusters) {
  for (ClusterView& cluster : clusters) {
    const auto found = turns.find(cluster.name);
    if (found == turns.end() || !found->second.after) continue;
    if (cluster.verdict.outcome == verdict::Outcome::kNo) continue;
    cluster.verdict.outcome = verdict::Outcome::kNo;
    cluster.verdict.reasons.insert(
        cluster.verdict.reasons.begin(),
        {verdict::ReasonCode::kInLine, "", "its devices are free, and other jobs go first"});
  }
}

}  // namespace fedra::placement
