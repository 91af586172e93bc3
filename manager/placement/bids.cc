#include "manager/placement/bids.h"

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
                                     const OrderSettings& settings) {
  if (!workload.QuotaReserved() || !workload.nominated.empty()) return std::nullopt;
  if (workload.demands == nullptr || !tracking::NeedDevices(*workload.demands)) return std::nullopt;
  return Contender{.rank = {workload.priority.value, workload.created, workload.key},
                   .reserved_at = workload.quota_reserved->since,
                   .order = settings};
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
    if (cluster.verdict.outcome == dra::Outcome::kNo) continue;
    cluster.verdict.outcome = dra::Outcome::kNo;
    cluster.verdict.reasons.insert(
        cluster.verdict.reasons.begin(),
        {dra::ReasonCode::kInLine, "", "its devices are free, and other jobs go first"});
  }
}

}  // namespace fedra::placement
