#include "manager/placement/dispatch.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/placement/check_report.h"
#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/parts.h"
#include "manager/placement/passing.h"
#include "manager/placement/rank.h"
#include "manager/placement/steps.h"
#include "manager/tracking/elastic.h"

namespace fedra::placement {
namespace {

void AdmitWinner(const Context& context, const ClusterView& winner, Decision& decision) {
  // The copy is the first Workload's to create. One that comes back to the others finds it.
  const bool has_job = HasOwnJob(winner) || winner.spares_job || context.workload().follows;
  decision.phase = has_job ? Phase::kRunning : Phase::kDispatching;
  decision.worker = winner.name;
  if (!has_job && !IsBeingPlacedOn(context, winner))
    decision.actions.emplace_back(RecordPlacing{winner.name});
  const bool clean = CleanUp(context, &winner, AttemptEnd::kLostRace, decision);
  if (!has_job) {
    decision.why = fmt::format(
        "admitted on {}; {}", winner.name.value,
        clean ? "its job is being created there" : "the copies on other workers are removed first");
  }
  if (winner.job != nullptr && !has_job) {
    // An old incarnation's job of ours goes first; a foreign one made the worker ineligible before
    // we came here.
    decision.actions.emplace_back(DeleteRemote{winner.name, std::nullopt});
    return;
  }
  // A clone that is larger than its job would end (OutOfSync).
  if (!has_job && tracking::IsToShrink(context.workload(), *winner.clone))
    decision.actions.emplace_back(UpdateClone{winner.name});
  if (!has_job) decision.actions.emplace_back(CreateJob{winner.name});
  AdmitOn(context, winner, decision);
}

// Where the job has been created, or may have been, and the manager does not say so yet, while
// nothing can be seen there; null: nowhere.
const ClusterView* UnseenPlace(const Context& context, const std::vector<ClusterName>& nominated) {
  for (const ClusterView& cluster : context.clusters) {
    const bool may_have_it = HasOwnJob(cluster) || RunsByTheirCopy(context.view, cluster) ||
                             IsBeingPlacedOn(context, cluster);
    if (cluster.contact != Contact::kFull && may_have_it && Contains(nominated, cluster.name) &&
        !FailedInRound(context.record, cluster.name))
      return &cluster;
  }
  return nullptr;
}

// The winner is known, and may not be admitted yet.
void WaitForLists(const ClusterView& winner, const ClusterView& unlisted, Decision& decision) {
  decision.phase = Phase::kDispatching;
  decision.worker = winner.name;
  decision.why = fmt::format("admitted on {}; waiting for the lists of {}", winner.name.value,
                             unlisted.name.value);
  decision.wake_at = *unlisted.lost_since + kListingGrace;
}

void Block(const Context& context, const tracking::AdmissionCheckState& check, const Choice& choice,
           Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.wake_at = WakeAt(context, choice);
  CleanUp(context, nullptr, AttemptEnd::kWithdrawn, decision);
  // Until then what was said stands.
  if (const auto until = FlapEnd(context)) WakeBy(*until, decision.wake_at);
  const bool nominates = !context.workload().nominated.empty();
  if (!nominates && IsReported(context, check) && MayPass(context)) {
    decision.why = check.message;
    return;
  }
  const Message message =
      NoWorkerEligible(context.clusters, context.record, context.now, context.workload().key.ns);
  decision.why = message.text;
  if (!nominates && !MustReport(context, check, message))
    return TakeAsReported(context, message, decision);
  decision.actions.emplace_back(Nominate{{}, message.text, false, AsReported(context, message)});
  NoteBlocked(context, message, decision);
}

// Takes back what is not (or no longer) chosen.
void Withdraw(const Context& context, const Choice& choice, Decision& decision) {
  for (const ClusterView& cluster : context.clusters) {
    if (Contains(choice.clusters, cluster.name)) continue;
    const bool late = Contains(choice.timed_out, cluster.name);
    std::string message = late ? TooLate(context, cluster) : std::string();
    // Before the copy goes: the first end of an attempt counts, and this one has words.
    if (late) {
      RememberFailure(context, cluster, verdict::ReasonCode::kRecentlyFailed, message, decision,
                      FailureKind::kLate);
    }
    TakeBackFrom(context, cluster, late ? AttemptEnd::kTimedOut : AttemptEnd::kWithdrawn, {},
                 decision);
    if (late) {
      decision.actions.emplace_back(
          Note{notes::kAdmissionTimedOut.name, cluster.name, std::move(message)});
    }
  }
}

void CopyTo(const Context& context, const ClusterView& cluster, Decision& decision) {
  if (cluster.clone == nullptr && (cluster.job == nullptr || !HasOurs(cluster))) {
    decision.actions.emplace_back(CreateClone{cluster.name});
    return;
  }
  // A copy of an earlier incarnation, or a clone that is never admitted, is removed first; its end
  // wakes us again.
  if (!HasOwnClone(cluster)) {
    decision.actions.emplace_back(DeleteRemote{cluster.name, std::nullopt});
  } else if (IsSpent(*cluster.clone)) {
    if (!cluster.clone->deleting) RememberSpent(context, cluster, decision);
    decision.actions.emplace_back(DeleteRemote{cluster.name, std::nullopt});
  } else {
    if (tracking::PriorityDiffers(context.workload(), *cluster.clone))
      decision.actions.emplace_back(SetClonePriority{cluster.name});
    if (tracking::IsToShrink(context.workload(), *cluster.clone))
      decision.actions.emplace_back(UpdateClone{cluster.name});
  }
}

void DispatchTo(const Context& context, const tracking::AdmissionCheckState& check,
                const std::vector<ClusterName>& nominated, const Choice& choice,
                Decision& decision) {
  decision.phase = Phase::kDispatching;
  decision.worker = choice.clusters.front();
  decision.wake_at = WakeAt(context, choice);
  const Message message = DispatchedMessage(context.clusters, choice.clusters, nominated);
  decision.why = message.text;
  const bool new_round = BeginsRound(context, nominated, choice);
  Withdraw(context, choice, decision);
  if (new_round || choice.clusters != nominated || MustReport(context, check, message)) {
    decision.actions.emplace_back(
        Nominate{choice.clusters, message.text, new_round, AsReported(context, message)});
  } else {
    TakeAsReported(context, message, decision);
  }
  for (const ClusterName& name : choice.clusters)
    CopyTo(context, *context.Find(name.value), decision);
  NoteDispatched(context, nominated, choice, decision);
}

}  // namespace

void Dispatch(const Context& context, const tracking::AdmissionCheckState& check,
              const std::vector<ClusterName>& nominated, const Choice& choice, Decision& decision) {
  if (const ClusterView* place = UnseenPlace(context, nominated);
      place != nullptr && !WaitForContact(context, *place, decision)) {
    decision.phase = Phase::kDispatching;
    decision.worker = place->name;
    return;
  }
  if (choice.winner != nullptr && choice.unlisted != nullptr)
    return WaitForLists(*choice.winner, *choice.unlisted, decision);
  if (choice.winner != nullptr) return AdmitWinner(context, *choice.winner, decision);
  if (choice.clusters.empty()) return Block(context, check, choice, decision);
  DispatchTo(context, check, nominated, choice, decision);
}

}  // namespace fedra::placement
