// The stages of a workload whose copies are Kueue's (kueue.mode dispatcher): fedra says which
// workers may have it, by status.nominatedClusterNames, and shows what MultiKueue makes of that.
//
// MultiKueue copies the workload to what is nominated, removes it from what is not, and writes
// clusterName when a copy is admitted (pkg/controller/admissionchecks/multikueue/workload.go of
// Kueue 0.19.2). Its webhook takes a clusterName that is nominated at that moment only.

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "manager/placement/check_report.h"
#include "manager/placement/dispatch.h"
#include "manager/placement/message.h"
#include "manager/placement/move.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/passing.h"
#include "manager/placement/rank.h"
#include "manager/placement/select_workers.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;
using Names = std::vector<ClusterName>;

// Between two of our writes, while something else writes nominations, too.
constexpr std::chrono::seconds kTruce{30};

Names NominatedNow(const Context& context) {
  Names names;
  for (const std::string& name : context.workload().nominated) names.emplace_back(name);
  return names;
}

void EndOn(const ClusterName& worker, AttemptEnd end, Decision& decision,
           std::string message = {}) {
  decision.actions.emplace_back(EndAttempt{worker, end, std::move(message)});
}

// The round is over: of its workers none is asked any more.
void EndRound(const Context& context, AttemptEnd end, Decision& decision) {
  for (const ClusterName& name : context.record.nominated) {
    if (name.value != context.workload().cluster_name) EndOn(name, end, decision);
    decision.actions.emplace_back(RecordRemoval{name});
  }
}

// Reports it once, also after a restart.
void ReportOnce(const Context& context, const notes::NoteReason& reason, const ClusterName& worker,
                const std::string& text, Decision& decision) {
  const Message message{text, Hash64(reason.name, Hash64(worker.value))};
  if (!IsNews(context, message)) return;
  decision.actions.emplace_back(RecordReport{AsReported(context, message)});
  decision.actions.emplace_back(Note{reason.name, worker, text});
}

void DecideOver(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const tracking::Condition& finished = *workload.finished;
  const WorkloadEnd end = EndOf(finished);
  decision.phase = end.phase;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = finished.message;
  if (context.record.attempt == 0) return;  // we had no part in it
  EndRound(context, AttemptEnd::kLostRace, decision);
  const size_t before = decision.actions.size();
  ReportOnce(context, end.note, decision.worker, finished.message, decision);
  if (decision.actions.size() == before || workload.cluster_name.empty()) return;
  EndOn(decision.worker, end.attempt, decision, finished.message);
}

void DecideTakenBack(const Context& context, Decision& decision) {
  EndRound(context, AttemptEnd::kEvicted, decision);
  const ClusterName worker(context.workload().cluster_name);
  if (!worker.value.empty()) EndOn(worker, AttemptEnd::kEvicted, decision);
  ReportNoQuota(context, decision);
}

// Kueue takes it back from its worker, and remembers nothing about that one. `since`: when the
// check became what it is, by the manager's clock: a failure after that is this one.
void DecideEvicted(const Context& context, const ClusterView& worker, WallTime since,
                   const notes::NoteReason& reason, Decision& decision) {
  const Failure* before = FailureOf(context.record, worker.name);
  if (FailedInRound(context.record, worker.name) || (before != nullptr && before->at >= since))
    return;
  RememberFailure(context, worker, verdict::ReasonCode::kRecentlyFailed, decision.why, decision,
                  FailureKind::kEvicted);
  decision.actions.emplace_back(Note{reason.name, worker.name, decision.why});
}

void DecideRetry(const Context& context, const tracking::AdmissionCheckState& check,
                 Decision& decision) {
  decision.phase = Phase::kRequeued;
  decision.worker = ClusterName(context.workload().cluster_name);
  decision.why = check.message;
  if (const ClusterView* worker = context.Find(context.workload().cluster_name))
    DecideEvicted(context, *worker, check.since, notes::kRequeued, decision);
}

void DecideRejected(const Context& context, const tracking::AdmissionCheckState& check,
                    Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.why = check.message;
  ReportOnce(context, notes::kNotDispatchable, {}, check.message, decision);
}

// The check's Retry, which follows, lasts for milliseconds and may never be seen.
bool IsEvictedOn(const ClusterView& worker) {
  return HasOwnClone(worker) && worker.clone->Evicted() && !worker.clone->Finished();
}

void DecidePlaced(const Context& context, const tracking::AdmissionCheckState& check,
                  Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = ClusterName(context.workload().cluster_name);
  decision.why = check.message;
  if (DueMove(context.view, context.now) != nullptr)
    decision.why =
        "it is to be moved, as asked; with kueue.mode dispatcher it is Kueue's, and fedra cannot "
        "take "
        "it back: it stays";
  ReportOnce(context, notes::kPlaced, decision.worker,
             fmt::format("The workload was admitted on \"{}\"", decision.worker.value), decision);
  EndRound(context, AttemptEnd::kLostRace, decision);
  const ClusterView* worker = context.Find(context.workload().cluster_name);
  if (worker == nullptr || !IsEvictedOn(*worker)) return;
  decision.phase = Phase::kRequeued;
  decision.why = EvictedText(*worker);
  DecideEvicted(context, *worker, check.since, notes::kEvictedOnWorker, decision);
}

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
  const Message message =
      DispatchedMessage(context.clusters, choice.clusters, nominated, context.policy);
  decision.actions.emplace_back(
      Nominate{choice.clusters, message.text, true, AsReported(context, message)});
  NoteDispatched(context, nominated, choice, decision);
}

// What is nominated now, and which of that we did not nominate in the round that we know of.
// Without one, after a lost store, all of it is taken for ours.
struct NominatedNames {
  Names all;
  Names ours;

  bool HasOthers() const { return ours.size() != all.size(); }
};

NominatedNames SortNominated(const Context& context) {
  const PlacementRecord& record = context.record;
  NominatedNames nominated{.all = NominatedNow(context), .ours = {}};
  for (const ClusterName& name : nominated.all)
    if (!record.nominated_at || Contains(record.nominated, name)) nominated.ours.push_back(name);
  return nominated;
}

// Two dispatchers that each wrote at once when the other has would never end.
bool IsTruce(const Context& context) {
  const auto& round = context.record.nominated_at;
  return round && context.now < *round + kTruce;
}

void GiveWay(const Context& context, const Names& nominated, Decision& decision) {
  decision.phase = Phase::kDispatching;
  if (!nominated.empty()) decision.worker = nominated.front();
  decision.wake_at = *context.record.nominated_at + kTruce;
  decision.why = fmt::format(
      "something else has nominated {}: is multiKueue.dispatcherName set in Kueue's configuration?",
      Join(nominated));
  decision.actions.emplace_back(
      Note{notes::kNominatedByOthers.name, {}, decision.why, {"nominated by others"}});
}

// A copy that was switched off on its worker is never admitted.
bool IsSwitchedOff(const ClusterView& cluster) {
  return HasOwnClone(cluster) && !cluster.clone->active;
}

// Whether there is one that was not known: then the choice is made anew without it.
bool RefuseSpent(const Context& context, const Names& nominated, Decision& decision) {
  for (const ClusterView& cluster : context.clusters) {
    if (!Contains(nominated, cluster.name) || !IsSwitchedOff(cluster) ||
        PausedUntil(context.record, cluster.name, context.now))
      continue;
    RememberSpent(context, cluster, decision);
    decision.phase = Phase::kDispatching;
    decision.worker = cluster.name;
    decision.why = fmt::format("{} has switched off its copy", cluster.name.value);
    WakeBy(context.now, decision.wake_at);
    return true;
  }
  return false;
}

Names WithoutSpent(const Context& context, Names nominated) {
  std::erase_if(nominated, [&](const ClusterName& name) {
    const ClusterView* cluster = context.Find(name.value);
    return cluster != nullptr && IsSwitchedOff(*cluster);
  });
  return nominated;
}

// Where we see nothing any more and Kueue does, a copy may be admitted at any time: such a worker
// stays nominated beside the others.
void KeepUnseen(const Context& context, const Names& nominated, Choice& choice) {
  for (const ClusterName& name : nominated) {
    const ClusterView* cluster = context.Find(name.value);
    if (cluster == nullptr || cluster->contact != Contact::kNone || !cluster->allowed ||
        !cluster->kueue_connected || Contains(choice.clusters, name))
      continue;
    if (choice.clusters.size() < kMaxNominated) choice.clusters.push_back(name);
  }
}

void TakeBackNominations(const Context& context, const Names& nominated, const Choice& choice,
                         Decision& decision) {
  for (const ClusterName& name : nominated) {
    if (Contains(choice.clusters, name)) continue;
    const ClusterView* cluster = context.Find(name.value);
    if (cluster == nullptr || !Contains(choice.timed_out, name)) {
      EndOn(name, AttemptEnd::kWithdrawn, decision);
      continue;
    }
    std::string message = TooLate(context, *cluster);
    RememberFailure(context, *cluster, verdict::ReasonCode::kRecentlyFailed, message, decision,
                    FailureKind::kLate);
    decision.actions.emplace_back(Note{notes::kAdmissionTimedOut.name, name, std::move(message)});
  }
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
  const Message message =
      DispatchedMessage(context.clusters, choice.clusters, nominated.ours, context.policy);
  decision.why = message.text;
  const bool new_round = nominated.HasOthers() || BeginsRound(context, nominated.ours, choice);
  TakeBackNominations(context, nominated.ours, choice, decision);
  if (new_round || choice.clusters != nominated.all) {
    decision.actions.emplace_back(
        Nominate{choice.clusters, message.text, new_round, AsReported(context, message)});
  }
  NoteDispatched(context, nominated.ours, choice, decision);
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
  if (const ClusterView* winner = AdmittedOn(context))
    return WaitForKueue(context, *winner, nominated.all, decision);
  if (nominated.HasOthers() && IsTruce(context)) return GiveWay(context, nominated.all, decision);
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
  if (workload == nullptr || workload->deleting || check == nullptr) {
    decision.phase = Phase::kGone;
    decision.actions.emplace_back(Forget{});
  } else if (workload->Finished()) {
    DecideOver(context, decision);
  } else if (workload->Evicted() || !workload->QuotaReserved()) {
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
