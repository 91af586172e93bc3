#include "manager/placement/select_workers.h"

#include <algorithm>
#include <tuple>

#include "manager/placement/rank.h"
#include "manager/placement/steps.h"

namespace fedra::placement {
namespace {

// Whether an overdue winner has to let another worker try: one that was not asked in this round,
// or, racing, has not failed in it.
bool GivesWay(const Context& context, const ClusterView& winner,
              const std::vector<ClusterName>& nominated) {
  const bool racing = context.policy.kind == DispatchPolicy::kRace;
  const auto could_try = [&](const ClusterView& other) {
    return &other != &winner && IsEligible(other, context.policy) &&
           !PausedUntil(context.record, other.name, context.now) &&
           (racing ? !FailedInRound(context.record, other.name) : !Contains(nominated, other.name));
  };
  return IsOverdue(context, winner) &&
         std::any_of(context.clusters.begin(), context.clusters.end(), could_try);
}

// Whether the worker may be given the workload now. One that has refused it is left alone for a
// while, and the choice is made again then.
bool MayGet(const Context& context, const ClusterView& cluster, Choice& choice) {
  const auto until = PausedUntil(context.record, cluster.name, context.now);
  if (until) WakeBy(*until, choice.wake_at);
  return !until;
}

// A nominated worker is kept through a short gap in what we know of it, so that a cut watch moves
// no workload.
bool MayKeep(const Context& context, const ClusterView& cluster) {
  return cluster.contact != Contact::kNone && cluster.allowed &&
         cluster.verdict.outcome != verdict::Outcome::kNo &&
         !FailedInRound(context.record, cluster.name);
}

// Whether it takes part in the race. One that failed comes back when that is long ago.
bool MayRace(const Context& context, const ClusterView& cluster, Choice& choice) {
  if (!FailedInRound(context.record, cluster.name)) return true;
  const Failure* failure = RecentFailure(context.record, cluster.name, context.now);
  if (failure == nullptr) return true;
  WakeBy(failure->at + kFailureMemory, choice.wake_at);
  return false;
}

Choice ChooseRace(const Context& context, const std::vector<ClusterName>& nominated) {
  Choice choice;
  for (const ClusterView& cluster : context.clusters) {
    if (HasAdmitted(cluster) && GivesWay(context, cluster, nominated)) {
      choice.timed_out.push_back(cluster.name);
      continue;
    }
    const bool wanted = IsEligible(cluster, context.policy)
                            ? MayRace(context, cluster, choice)
                            : Contains(nominated, cluster.name) && MayKeep(context, cluster);
    if (wanted && choice.clusters.size() < kMaxNominated) choice.clusters.push_back(cluster.name);
  }
  if (!choice.clusters.empty()) return choice;
  // Every eligible worker has failed it: a new round for all of them.
  for (const ClusterView& cluster : context.clusters) {
    if (IsEligible(cluster, context.policy) && choice.clusters.size() < kMaxNominated &&
        MayGet(context, cluster, choice))
      choice.clusters.push_back(cluster.name);
  }
  return choice;
}

// Keeps what is nominated and still possible, and fills up from the ranking. When the round has
// timed out and there is another eligible worker, the round's workers had their chance.
Choice ChooseBest(const Context& context, const std::vector<ClusterName>& nominated) {
  const size_t wanted = MostAtOnce(context.policy);
  Choice choice;
  auto ranked = Rank(context.clusters, context.record, context.policy, context.now);
  std::erase_if(ranked,
                [&](const ClusterView* cluster) { return !MayGet(context, *cluster, choice); });
  for (const ClusterName& name : nominated) {
    const ClusterView* cluster = context.Find(name.value);
    if (cluster != nullptr && MayKeep(context, *cluster)) choice.clusters.push_back(name);
  }
  const bool others_exist = std::any_of(
      ranked.begin(), ranked.end(),
      [&](const ClusterView* cluster) { return !Contains(choice.clusters, cluster->name); });
  const auto deadline = RoundEnd(context.record, context.policy);
  if (!choice.clusters.empty() && deadline) {
    // Without another worker it waits in line for one from then on (IsRoundOver).
    if (context.now < *deadline) {
      WakeBy(*deadline, choice.wake_at);
    } else if (others_exist) {
      choice.timed_out.swap(choice.clusters);
    }
  }
  for (const ClusterView* cluster : ranked) {
    if (choice.clusters.size() >= wanted) break;
    // One that failed it in this round gets it again only when there is no other.
    if (FailedInRound(context.record, cluster->name) && !choice.clusters.empty()) continue;
    if (!Contains(choice.clusters, cluster->name) && !Contains(choice.timed_out, cluster->name))
      choice.clusters.push_back(cluster->name);
  }
  return choice;
}

const ClusterView* Winner(const Context& context, const std::vector<ClusterName>& nominated) {
  const ClusterView* winner = nullptr;
  const auto key = [&](const ClusterView& cluster) {
    return std::tuple(IsOverdue(context, cluster), !IsBeingPlacedOn(context, cluster),
                      cluster.clone->admitted->since);
  };
  for (const ClusterView& cluster : context.clusters) {
    if (!Contains(nominated, cluster.name) || !IsEligible(cluster, context.policy)) continue;
    if (FailedInRound(context.record, cluster.name))
      continue;  // it admitted the clone and refused the job
    if (!HasAdmitted(cluster)) continue;
    if (winner == nullptr || key(cluster) < key(*winner)) winner = &cluster;
  }
  return winner != nullptr && GivesWay(context, *winner, nominated) ? nullptr : winner;
}

const ClusterView* Unlisted(const Context& context, const std::vector<ClusterName>& nominated) {
  for (const ClusterView& cluster : context.clusters) {
    if (cluster.contact == Contact::kSyncing && Contains(nominated, cluster.name) &&
        cluster.lost_since && context.now < *cluster.lost_since + kListingGrace)
      return &cluster;
  }
  return nullptr;
}

}  // namespace

size_t MostAtOnce(const Policy& policy) {
  return std::min(static_cast<size_t>(policy.candidates), kMaxNominated);
}

std::optional<WallTime> RoundEnd(const PlacementRecord& record, const Policy& policy) {
  if (!record.nominated_at) return std::nullopt;
  return *record.nominated_at + policy.admission_timeout;
}

bool IsSpent(const tracking::Workload& clone) {
  return clone.Finished() || !clone.active || clone.deleting;
}

bool HasAdmitted(const ClusterView& cluster) {
  return HasOwnClone(cluster) && cluster.clone->Admitted() && !IsSpent(*cluster.clone);
}

bool IsBeingPlacedOn(const Context& context, const ClusterView& cluster) {
  const PlacementRecord& record = context.record;
  return record.placing && record.placing->cluster == cluster.name && record.nominated_at &&
         record.placing->since >= *record.nominated_at;
}

bool IsOverdue(const Context& context, const ClusterView& cluster) {
  const bool has_job = cluster.job != nullptr || cluster.spares_job;
  if (has_job || !IsBeingPlacedOn(context, cluster)) return false;
  return context.now >= context.record.placing->since + context.policy.admission_timeout;
}

Choice Choose(const Context& context, const std::vector<ClusterName>& nominated) {
  if (const ClusterView* winner = Winner(context, nominated); winner != nullptr) {
    Choice choice;
    choice.winner = winner;
    choice.unlisted = Unlisted(context, nominated);
    return choice;
  }
  return context.policy.kind == DispatchPolicy::kRace ? ChooseRace(context, nominated)
                                                      : ChooseBest(context, nominated);
}

}  // namespace fedra::placement
