#include "manager/placement/bids.h"

#include <algorithm>
#include <set>
#include <vector>

#include "manager/placement/assumption.h"
#include "manager/placement/decide.h"
#include "manager/placement/move.h"
#include "manager/placement/rank.h"
#include "manager/placement/select_workers.h"
#include "manager/placement/stages.h"

namespace fedra::placement {
namespace {

Bid::Chance ChanceOn(const ClusterView& cluster, const PlacementRecord& record,
                     const Policy& policy, WallTime now) {
  // A race asks those that have refused it, too, in a new round.
  if (policy.kind != DispatchPolicy::kRace && PausedUntil(record, cluster.name, now))
    return Bid::Chance::kNone;
  if (IsEligible(cluster, policy)) return Bid::Chance::kFits;
  const bool waits = cluster.allowed && cluster.verdict.fits_when_free;
  return waits ? Bid::Chance::kWaits : Bid::Chance::kNone;
}

// Beside a clusterName, and from before the quota was reserved, nominations are of an admission
// that has ended: then it must wait for its turn again.
bool WasDispatchedTo(const WorkloadView& view, const ClusterName& worker) {
  return view.workload->cluster_name.empty() && IsDispatchedTo(view, worker);
}

bool WasDispatched(const WorkloadView& view) {
  const auto& nominated = view.workload->nominated;
  return std::any_of(nominated.begin(), nominated.end(), [&](const std::string& worker) {
    return WasDispatchedTo(view, ClusterName(worker));
  });
}

// Whether the choice, left alone, takes further workers than those it was dispatched to.
bool WantsMore(const WorkloadView& view, std::span<const ClusterView> clusters,
               const PlacementRecord& record, const Policy& policy, WallTime now) {
  std::vector<ClusterView> left;
  if (view.workload->Move() != nullptr) {
    // A move that bars a worker makes the choice take another one.
    left.assign(clusters.begin(), clusters.end());
    FollowMove(view, left, record, policy, now);
    clusters = left;
  }
  const std::set<ClusterName> chosen = NominatedBy(Decide(view, clusters, record, policy, now));
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const auto& worker) { return !WasDispatchedTo(view, worker); });
}

}  // namespace

std::optional<Contender> MakeContender(const WorkloadView& view, const OrderSettings& settings,
                                       const tracking::SharedQueue* queue, bool by_weight,
                                       std::optional<double> local_weight) {
  if (view.workload == nullptr) return std::nullopt;
  const tracking::Workload& workload = *view.workload;
  if (!workload.QuotaReserved() || WhyNotYet(view)) return std::nullopt;
  if (workload.requirement.demands == nullptr ||
      !tracking::NeedDevices(*workload.requirement.demands))
    return std::nullopt;
  Contender contender{.rank = {.priority = workload.priority.value,
                               .since = workload.created,
                               .workload = workload.key},
                      .reserved_at = workload.quota_reserved->since,
                      .order = settings,
                      .dispatched = WasDispatched(view)};
  if (queue != nullptr)
    contender.order.policy = ParseOrderPolicy(queue->order).value_or(settings.policy);
  if (by_weight) {
    contender.share = Share{.queue = workload.cluster_queue,
                            .weight = queue == nullptr ? 1.0 : queue->weight.value_or(1.0),
                            .cost = static_cast<double>(std::max(workload.requirement.Pods(), 1))};
    if (queue != nullptr && queue->local_queues_share) {
      contender.share->local =
          LocalShare{.queue = workload.key.ns + "/" + workload.requirement.queue,
                     .weight = local_weight.value_or(1.0)};
    }
  }
  return contender;
}

bool IsRoundOver(const WorkloadView& view, std::span<const ClusterView> clusters,
                 const PlacementRecord& record, const Policy& policy, WallTime now) {
  const auto end = RoundEnd(record, policy);
  if (!WasDispatched(view) || !end || now < *end) return false;
  return std::none_of(clusters.begin(), clusters.end(), HasAdmitted);
}

std::set<ClusterName> NewlyDispatched(const WorkloadView& view, const Decision& decision) {
  std::set<ClusterName> workers = NominatedBy(decision);
  if (view.workload != nullptr)
    std::erase_if(workers, [&](const auto& worker) { return WasDispatchedTo(view, worker); });
  return workers;
}

Bids BidsOf(const WorkloadView& view, std::span<const ClusterView> clusters,
            const PlacementRecord& record, const Policy& policy,
            const std::map<ClusterName, uint64_t>& as_of, WallTime now) {
  Bids bids;
  if (WasDispatched(view) && !IsRoundOver(view, clusters, record, policy, now) &&
      !WantsMore(view, clusters, record, policy, now))
    return bids;
  bids.reserve(clusters.size());
  for (const ClusterView& cluster : clusters) {
    if (WasDispatchedTo(view, cluster.name)) continue;
    if (cluster.contact != Contact::kFull) {
      bids[cluster.name] = {.chance = Bid::Chance::kAway, .devices = nullptr};
      continue;
    }
    if (cluster.serving == nullptr) continue;
    const auto version = as_of.find(cluster.name);
    const int missing = cluster.verdict.pods_wanted - cluster.verdict.pods_fitting;
    bids[cluster.name] = {.chance = ChanceOn(cluster, record, policy, now),
                          .as_of = version == as_of.end() ? 0 : version->second,
                          .missing = missing,
                          .devices = cluster.serving};
  }
  if (bids.empty()) bids.shrink_to_fit();
  return bids;
}

void StandInLine(const std::map<ClusterName, LineAnswer>& answers,
                 std::span<ClusterView> clusters) {
  for (ClusterView& cluster : clusters) {
    const auto found = answers.find(cluster.name);
    if (found == answers.end() || !found->second.after) continue;
    if (cluster.verdict.outcome == verdict::Outcome::kNo) continue;
    cluster.in_turn_soon = !found->second.after_waiting;
    cluster.verdict.outcome = verdict::Outcome::kNo;
    cluster.verdict.reasons.insert(
        cluster.verdict.reasons.begin(),
        {verdict::ReasonCode::kInLine, "", verdict::InLine{.ahead = found->second.ahead}});
  }
}

}  // namespace fedra::placement
