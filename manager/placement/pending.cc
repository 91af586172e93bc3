// The stage in which a worker is looked for: nominate, copy, wait, choose the winner.

#include <algorithm>

#include <fmt/format.h>

#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/rank.h"
#include "manager/placement/stages.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;

constexpr std::chrono::seconds kListingGrace{60};
// The CRD allows no more nominated names.
constexpr size_t kMaxNominated = 20;

bool Contains(const std::vector<ClusterName>& names, const ClusterName& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Every nomination writes a message of its own, so an empty one or Kueue's means: this life begins
// now.
bool IsOwnMessage(const std::string& message) {
  return !message.empty() && !message.starts_with(tracking::kResetMessage);
}

bool HasOwnClone(const Context& context, const ClusterView& cluster) {
  return cluster.clone != nullptr && IsOurs(*cluster.clone, context.policy.origin, context.uid());
}

// A clone that no Kueue will ever admit: ended, switched off, or on its way out.
bool IsSpent(const tracking::Workload& clone) {
  return clone.Finished() || !clone.active || clone.deleting;
}

// What is nominated, by the API object: the truth that Kueue's webhook checks the winner against.
std::vector<ClusterName> Nominated(const Context& context,
                                   const tracking::AdmissionCheckState& check) {
  std::vector<ClusterName> names;
  if (!IsOwnMessage(check.message)) return names;
  for (const std::string& name : context.workload().nominated) names.emplace_back(name);
  return names;
}

const tracking::AdmissionCheckState* OtherPendingCheck(const Context& context) {
  for (const tracking::AdmissionCheckState& check : context.workload().checks) {
    if (check.name != context.view.check && check.state != CheckState::kReady) return &check;
  }
  return nullptr;
}

// The nominated worker that admitted its clone first; null: none yet.
const ClusterView* Winner(const Context& context, const std::vector<ClusterName>& nominated) {
  const ClusterView* winner = nullptr;
  for (const ClusterView& cluster : context.clusters) {
    if (!Contains(nominated, cluster.name) || !IsEligible(cluster, context.policy)) continue;
    if (FailedInRound(context.record, cluster.name))
      continue;  // it admitted the clone and refused the job
    if (!HasOwnClone(context, cluster) || !cluster.clone->Admitted() || IsSpent(*cluster.clone))
      continue;
    if (winner == nullptr || cluster.clone->admitted->since < winner->clone->admitted->since)
      winner = &cluster;
  }
  return winner;
}

// A nominated worker that has just come back and may already hold the job (a crash between job and
// admission): the winner waits for its lists, but not for ever. Null: none.
const ClusterView* Unlisted(const Context& context, const std::vector<ClusterName>& nominated) {
  for (const ClusterView& cluster : context.clusters) {
    if (cluster.contact == Contact::kSyncing && Contains(nominated, cluster.name) &&
        cluster.lost_since && context.now < *cluster.lost_since + kListingGrace)
      return &cluster;
  }
  return nullptr;
}

struct Choice {
  std::vector<ClusterName> clusters;   // to be nominated
  std::vector<ClusterName> timed_out;  // had their time and did not admit
  // When to look again: the running round times out, or a worker that refused may be asked again.
  std::optional<WallTime> wake_at;
};

// Whether the worker may be given the workload now. One that has refused it is left alone for a
// while, and the choice is made again then.
bool MayGet(const Context& context, const ClusterView& cluster, Choice& choice) {
  const auto until = PausedUntil(context.record, cluster.name, context.now);
  if (until) choice.wake_at = std::min(choice.wake_at.value_or(*until), *until);
  return !until;
}

// A nominated worker is kept through a short gap in what we know of it, so that a cut watch moves
// no workload.
bool MayKeep(const Context& context, const ClusterView& cluster) {
  return cluster.contact != Contact::kNone && cluster.allowed &&
         cluster.verdict.outcome != dra::Outcome::kNo &&
         !FailedInRound(context.record, cluster.name);
}

Choice ChooseRace(const Context& context, const std::vector<ClusterName>& nominated) {
  Choice choice;
  for (const ClusterView& cluster : context.clusters) {
    const bool wanted = IsEligible(cluster, context.policy)
                            ? !FailedInRound(context.record, cluster.name)
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
  const size_t wanted = std::min(static_cast<size_t>(context.policy.candidates), kMaxNominated);
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
  if (!choice.clusters.empty() && others_exist && context.record.nominated_at) {
    const WallTime deadline = *context.record.nominated_at + context.policy.admission_timeout;
    if (context.now >= deadline) {
      choice.timed_out.swap(choice.clusters);
    } else {
      choice.wake_at = std::min(choice.wake_at.value_or(deadline), deadline);
    }
  }
  for (const ClusterView* cluster : ranked) {
    if (choice.clusters.size() >= wanted) break;
    // One that failed it in this round gets it again only when there is nobody else.
    if (FailedInRound(context.record, cluster->name) && !choice.clusters.empty()) continue;
    if (!Contains(choice.clusters, cluster->name) && !Contains(choice.timed_out, cluster->name))
      choice.clusters.push_back(cluster->name);
  }
  return choice;
}

void AdmitWinner(const Context& context, const ClusterView& winner, Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = winner.name;
  CleanUp(context, &winner, "LostRace", decision);
  if (winner.job != nullptr && !IsOurs(*winner.job, context.policy.origin, context.uid())) {
    // An old incarnation's job of ours goes first; a foreign one made the worker ineligible before
    // we came here.
    decision.actions.emplace_back(DeleteRemote{winner.name, {}});
    return;
  }
  if (winner.job == nullptr) decision.actions.emplace_back(CreateJob{winner.name});
  std::string message = fmt::format("The workload was admitted on \"{}\"", winner.name.value);
  decision.actions.emplace_back(Admit{winner.name, message});
  decision.actions.emplace_back(Note{notes::kPlaced.name, winner.name, std::move(message)});
}

void Block(const Context& context, const tracking::AdmissionCheckState& check, const Choice& choice,
           Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.wake_at = choice.wake_at;
  CleanUp(context, nullptr, "Withdrawn", decision);
  // A worker that has just come back is about to answer: until then what was said stands.
  const bool settling = std::any_of(context.clusters.begin(), context.clusters.end(),
                                    [](const ClusterView& cluster) { return cluster.settling; });
  decision.why = settling && IsOwnMessage(check.message) && context.workload().nominated.empty()
                     ? check.message
                     : NoWorkerEligible(context.clusters, context.record, context.now);
  if (check.message == decision.why && context.workload().nominated.empty()) return;
  decision.actions.emplace_back(Nominate{{}, decision.why, false});
  decision.actions.emplace_back(
      Note{notes::kPlacementRejected.name, {}, decision.why, ReasonsByWorker(context.clusters)});
}

// Each would wait for the other, and both would send the workload out.
void BlockForChecks(const Context& context, const tracking::AdmissionCheckState& check,
                    Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.why = fmt::format(
      "the ClusterQueue has two AdmissionChecks of fedra, {} and {}: "
      "remove one of them",
      context.view.check, context.view.second_check);
  if (check.message == decision.why) return;
  decision.actions.emplace_back(SetCheck{CheckState::kPending, decision.why});
  decision.actions.emplace_back(Note{notes::kNotDispatchable.name, {}, decision.why});
}

// Takes back what is not (or no longer) chosen.
void Withdraw(const Context& context, const Choice& choice, Decision& decision) {
  for (const ClusterView& cluster : context.clusters) {
    if (Contains(choice.clusters, cluster.name)) continue;
    const bool late = Contains(choice.timed_out, cluster.name);
    const bool has_ours = HasOurs(cluster, context.policy);
    if (!IsOutOfReach(context, cluster)) {
      if (has_ours)
        decision.actions.emplace_back(DeleteRemote{cluster.name, late ? "TimedOut" : "Withdrawn"});
    } else if (has_ours || Contains(context.record.nominated, cluster.name)) {
      decision.actions.emplace_back(RecordResidue{cluster.name});
    }
    if (!late) continue;
    std::string message = fmt::format("{} did not admit the workload in time", cluster.name.value);
    decision.actions.emplace_back(
        RecordFailure{{cluster.name, dra::ReasonCode::kRecentlyFailed, context.now, message}});
    decision.actions.emplace_back(
        Note{notes::kAdmissionTimedOut.name, cluster.name, std::move(message)});
  }
}

void CopyTo(const Context& context, const ClusterView& cluster, Decision& decision) {
  if (cluster.clone == nullptr && (cluster.job == nullptr || !HasOurs(cluster, context.policy))) {
    decision.actions.emplace_back(CreateClone{cluster.name});
    return;
  }
  // A copy of an earlier incarnation, or a clone nobody will admit, is removed first; its end wakes
  // us again.
  if (!HasOwnClone(context, cluster) || IsSpent(*cluster.clone))
    decision.actions.emplace_back(DeleteRemote{cluster.name, {}});
  else if (tracking::PriorityDiffers(context.workload(), *cluster.clone))
    decision.actions.emplace_back(SetClonePriority{cluster.name});
}

void Send(const Context& context, const tracking::AdmissionCheckState& check,
          const std::vector<ClusterName>& nominated, const Choice& choice, Decision& decision) {
  decision.phase = Phase::kDispatching;
  decision.worker = choice.clusters.front();
  decision.wake_at = choice.wake_at;
  decision.why = SentTo(context.clusters, choice.clusters, context.policy);
  const bool adds =
      std::any_of(choice.clusters.begin(), choice.clusters.end(),
                  [&](const ClusterName& name) { return !Contains(nominated, name); });
  const bool again =
      std::any_of(choice.clusters.begin(), choice.clusters.end(),
                  [&](const ClusterName& name) { return FailedInRound(context.record, name); });
  const bool new_round = adds || again || !context.record.nominated_at;
  Withdraw(context, choice, decision);
  if (new_round || choice.clusters != nominated || check.message != decision.why)
    decision.actions.emplace_back(Nominate{choice.clusters, decision.why, new_round});
  for (const ClusterName& name : choice.clusters)
    CopyTo(context, *context.Find(name.value), decision);
  if (!adds) return;
  decision.actions.emplace_back(
      Note{notes::kDispatched.name, decision.worker, "sent to " + Join(choice.clusters)});
  for (const ClusterName& name : choice.clusters) {
    for (const dra::Reason& reason : context.Find(name.value)->verdict.reasons) {
      if (reason.code == dra::ReasonCode::kTemplateDrift)
        decision.actions.emplace_back(Note{notes::kTemplateDrift.name, name, reason.message});
    }
  }
}

}  // namespace

void DecidePending(const Context& context, const tracking::AdmissionCheckState& check,
                   Decision& decision) {
  decision.phase = Phase::kWaiting;
  // Admit writes clusterName and Ready at once, so a Pending check beside a clusterName means that
  // Kueue evicted the workload, however quickly that passed. Its copies belong to the life that
  // ended.
  if (!context.workload().cluster_name.empty()) {
    decision.phase = Phase::kRequeued;
    decision.why = "evicted; looking for a worker again";
    CleanUp(context, nullptr, "Evicted", decision);
    if (context.view.job != nullptr && context.view.job->shows_activity)
      decision.actions.emplace_back(ClearActivity{});
    decision.actions.emplace_back(ClearPlacement{decision.why});
    return;
  }
  if (!context.view.second_check.empty()) return BlockForChecks(context, check, decision);
  if (const auto* other = OtherPendingCheck(context); other != nullptr) {
    decision.why = fmt::format("waiting for the admission check {}", other->name);
    return;
  }
  if (context.view.job == nullptr) {
    decision.why = "waiting for the job object";
    return;
  }
  if (!IsOwnMessage(check.message) && !CleanUp(context, nullptr, "Evicted", decision)) {
    decision.why = "removing the copies of its earlier life";
    return;
  }
  const std::vector<ClusterName> nominated = Nominated(context, check);
  if (const ClusterView* winner = Winner(context, nominated); winner != nullptr) {
    if (const ClusterView* unlisted = Unlisted(context, nominated); unlisted != nullptr) {
      decision.phase = Phase::kDispatching;
      decision.worker = winner->name;
      decision.why = fmt::format("admitted on {}; waiting for the lists of {}", winner->name.value,
                                 unlisted->name.value);
      decision.wake_at = *unlisted->lost_since + kListingGrace;
      return;
    }
    return AdmitWinner(context, *winner, decision);
  }
  const Choice choice = context.policy.kind == PolicyKind::kRace ? ChooseRace(context, nominated)
                                                                 : ChooseBest(context, nominated);
  if (choice.clusters.empty()) return Block(context, check, choice, decision);
  Send(context, check, nominated, choice, decision);
}

}  // namespace fedra::placement
