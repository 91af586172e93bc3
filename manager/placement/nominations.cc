// The stages of a workload whose copies are Kueue's (kueue.mode dispatcher): fedra says which
// workers may have it, by status.nominatedClusterNames, and shows what MultiKueue makes of that.
//
// MultiKueue copies the workload to what is nominated, removes it from what is not, and writes
// clusterName when a copy is admitted (pkg/controller/admissionchecks/multikueue/workload.go of
// Kueue 0.19.2). Its webhook takes a clusterName that is nominated at that moment only.

#include <algorithm>

#include <fmt/format.h>

#include "manager/placement/check_report.h"
#include "manager/placement/kueue_ends.h"
#include "manager/placement/message.h"
#include "manager/placement/nominated.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/passing.h"
#include "manager/placement/select_workers.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;
using Names = std::vector<ClusterName>;

// What MultiKueue looks at, whether it is nominated or not.
bool IsSeenByKueue(const ClusterView& cluster) {
  return cluster.contact == Contact::kFull && cluster.allowed && cluster.kueue_connected &&
         HasOwnClone(cluster);
}

// Where a copy has ended, or been admitted first, and Kueue decides; null: nowhere.
const ClusterView* EndedOn(const Context& context) {
  const auto ended = [](const ClusterView& cluster) {
    return IsSeenByKueue(cluster) && cluster.clone->Finished();
  };
  const auto found = std::ranges::find_if(context.clusters, ended);
  return found == context.clusters.end() ? nullptr : &*found;
}

const ClusterView* AdmittedOn(const Context& context) {
  const ClusterView* first = nullptr;
  for (const ClusterView& cluster : context.clusters) {
    if (!IsSeenByKueue(cluster) || !HasAdmitted(cluster)) continue;
    if (first == nullptr || cluster.clone->admitted->since < first->clone->admitted->since)
      first = &cluster;
  }
  return first;
}

void WaitForEnd(const Context& context, const ClusterView& ended, Decision& decision) {
  decision.worker = ended.name;
  const tracking::Condition& finished = *ended.clone->finished;
  if (finished.reason != tracking::kOutOfSync) {
    decision.phase = Phase::kRunning;
    decision.why = fmt::format("finished on {}; Kueue copies its final status", ended.name.value);
    return;
  }
  // MultiKueue does nothing more for it, whatever is nominated (0.19.2).
  decision.phase = Phase::kBlocked;
  decision.why = fmt::format(
      "{} finished the copy without running it: {}: {}; Kueue does not go on before the Workload "
      "{} there is deleted",
      ended.name.value, finished.reason, finished.message, context.view.key.ToString());
  ReportOnce(context, notes::kDispatchFailed, ended.name, decision.why, decision);
}

// Kueue puts it there. Its nomination may have been taken back in the moment of the admission: then
// Kueue cannot write clusterName, and would try for ever.
void WaitForKueue(const Context& context, const ClusterView& winner, const Names& nominated,
                  Decision& decision) {
  decision.phase = Phase::kDispatching;
  decision.worker = winner.name;
  decision.why = fmt::format("admitted on {}; Kueue is creating its job there", winner.name.value);
  if (Contains(nominated, winner.name)) return;
  Choice choice;
  choice.clusters.push_back(winner.name);
  const Message message = DispatchedMessage(context.clusters, choice.clusters, nominated);
  decision.actions.emplace_back(
      Nominate{choice.clusters, message.text, true, AsReported(context, message)});
  NoteDispatched(context, nominated, choice, decision);
}

void GiveWay(const Names& nominated, WallTime until, Decision& decision) {
  decision.phase = Phase::kDispatching;
  if (!nominated.empty()) decision.worker = nominated.front();
  decision.wake_at = until;
  decision.why = fmt::format(
      "something else has nominated {}: is multiKueue.dispatcherName set in Kueue's configuration?",
      Join(nominated));
  decision.actions.emplace_back(
      Note{notes::kNominatedByOthers.name, {}, decision.why, {"nominated by others"}});
}

void BlockNominations(const Context& context, const NominatedNames& nominated, const Choice& choice,
                      Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.wake_at = WakeAt(context, choice);
  if (const auto until = FlapEnd(context)) WakeBy(*until, decision.wake_at);
  const Message message =
      NoWorkerEligible(context.clusters, context.record, context.now, context.workload().key.ns);
  decision.why = message.text;
  if (!nominated.all.empty()) {
    const bool new_round = nominated.HasOthers() || !context.record.nominated_at;
    TakeBackNominations(context, nominated.ours, choice, decision);
    decision.actions.emplace_back(
        Nominate{{}, message.text, new_round, AsReported(context, message)});
    return NoteBlocked(context, message, decision);
  }
  if (!IsNews(context, message)) return TakeAsReported(context, message, decision);
  if (HasReported(context) && MayPass(context)) return;
  decision.actions.emplace_back(RecordReport{AsReported(context, message)});
  NoteBlocked(context, message, decision);
}

void NominateChosen(const Context& context, const NominatedNames& nominated, const Choice& choice,
                    Decision& decision) {
  decision.phase = Phase::kDispatching;
  decision.worker = choice.clusters.front();
  decision.wake_at = WakeAt(context, choice);
  const Message message = DispatchedMessage(context.clusters, choice.clusters, nominated.ours);
  decision.why = message.text;
  const bool new_round = nominated.HasOthers() || BeginsRound(context, nominated.ours, choice);
  TakeBackNominations(context, nominated.ours, choice, decision);
  if (new_round || choice.clusters != nominated.all) {
    decision.actions.emplace_back(
        Nominate{choice.clusters, message.text, new_round, AsReported(context, message)});
  }
  NoteDispatched(context, nominated.ours, choice, decision);
}

// Kueue has an adapter for the kind, but its webhook on the worker refuses the copies that this one
// makes: it would try for ever, and hold quota on both clusters (supportedPrebuiltWlJobGVKs of
// pkg/controller/jobframework/validation.go).
void BlockKind(const Context& context, const NominatedNames& nominated, Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.why = fmt::format(
      "Kueue's MultiKueue cannot run a {}: Kueue on the worker refuses the copy that it makes; let "
      "fedra copy the jobs (kueue.mode admissionCheck or multikueue)",
      context.workload().owner.kind);
  if (!nominated.all.empty()) {
    TakeBackNominations(context, nominated.ours, {}, decision);
    decision.actions.emplace_back(Nominate{{}, decision.why, true, {}});
  }
  ReportOnce(context, notes::kNotDispatchable, {}, decision.why, decision);
}

void DecideUnplaced(const Context& context, Decision& decision) {
  decision.phase = Phase::kWaiting;
  const tracking::Workload& workload = context.workload();
  if (!workload.cluster_name.empty()) {
    decision.phase = Phase::kDispatching;
    decision.worker = ClusterName(workload.cluster_name);
    decision.why = fmt::format("Kueue is dispatching it to {}", workload.cluster_name);
    return;
  }
  if (auto not_yet = WhyNotYet(context.view)) {
    decision.waits_for = not_yet->waits_for;
    decision.why = std::move(not_yet->why);
    return;
  }
  const NominatedNames nominated = SortNominated(context);
  if (const ClusterView* ended = EndedOn(context)) return WaitForEnd(context, *ended, decision);
  if (context.view.adoption == tracking::Adoption::kOwner)
    return BlockKind(context, nominated, decision);
  if (const ClusterView* winner = AdmittedOn(context))
    return WaitForKueue(context, *winner, nominated.all, decision);
  const auto truce_end = TruceEnd(context);
  if (nominated.HasOthers() && truce_end) return GiveWay(nominated.all, *truce_end, decision);
  if (RefuseSpent(context, nominated.ours, decision)) return;
  Choice choice = Choose(context, WithoutSpent(context, nominated.ours));
  KeepUnseen(context, nominated.ours, choice);
  if (choice.clusters.empty()) return BlockNominations(context, nominated, choice, decision);
  NominateChosen(context, nominated, choice, decision);
}

}  // namespace

void DecideNominations(const Context& context, Decision& decision) {
  const tracking::Workload* workload = context.view.workload.get();
  const tracking::AdmissionCheckState* check =
      workload == nullptr ? nullptr : workload->Check(context.view.check);
  const bool is_ours = check != nullptr || context.view.unasked != Unasked::kNo;
  if (workload == nullptr || workload->deleting || !is_ours) {
    decision.phase = Phase::kGone;
    decision.actions.emplace_back(Forget{});
  } else if (workload->Finished()) {
    DecideOver(context, decision);
  } else if (check == nullptr || workload->Evicted() || !workload->QuotaReserved()) {
    DecideTakenBack(context, decision);
  } else if (check->state == CheckState::kRetry) {
    DecideRetry(context, *check, decision);
  } else if (check->state == CheckState::kRejected) {
    DecideRejected(context, *check, decision);
  } else if (check->state == CheckState::kReady) {
    DecidePlaced(context, *check, decision);
  } else {
    DecideUnplaced(context, decision);
  }
}

}  // namespace fedra::placement
