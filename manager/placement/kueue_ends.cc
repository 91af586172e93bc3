#include "manager/placement/kueue_ends.h"

#include <utility>

#include <fmt/format.h>

#include "manager/placement/check_report.h"
#include "manager/placement/move.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/rank.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"

namespace fedra::placement {
namespace {

// The round is over: of its workers none is asked any more.
void EndRound(const Context& context, AttemptEnd end, Decision& decision) {
  for (const ClusterName& name : context.record.nominated) {
    if (name.value != context.workload().cluster_name) EndOn(name, end, decision);
    decision.actions.emplace_back(RecordRemoval{name});
  }
}

// The check's Retry, which follows, lasts for milliseconds and may never be seen.
bool IsEvictedOn(const ClusterView& worker) {
  return HasOwnClone(worker) && worker.clone->Evicted() && !worker.clone->Finished();
}

// Kueue takes it back from its worker, and remembers nothing about that one. `since`: when the
// check became what it is, by the manager's clock: a failure after that is this one.
void RememberTakenBack(const Context& context, const ClusterView& worker, WallTime since,
                       const notes::NoteReason& reason, Decision& decision) {
  const Failure* before = FailureOf(context.record, worker.name);
  if (FailedInRound(context.record, worker.name) || (before != nullptr && before->at >= since))
    return;
  const bool is_lost = IsOutOfReach(context, worker) && !IsEvictedOn(worker);
  RememberFailure(
      context, worker,
      is_lost ? verdict::ReasonCode::kClusterUnreachable : verdict::ReasonCode::kRecentlyFailed,
      decision.why, decision, is_lost ? FailureKind::kPassing : FailureKind::kEvicted);
  decision.actions.emplace_back(Note{reason.name, worker.name, decision.why});
}

// Said from when it is asked for until it is over, and then no more.
void RefuseMove(const Context& context, Decision& decision) {
  if (const auto at = NextMove(context.view, context.now)) WakeBy(*at, decision.wake_at);
  const tracking::MoveRequest* move = DueMove(context.view, context.now);
  if (move == nullptr) return;
  WakeBy(move->at + kMoveStands, decision.wake_at);
  decision.why =
      "a move was requested, but with kueue.mode dispatcher only Kueue can take the job back: it "
      "stays where it is";
}

}  // namespace

void DecideOver(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const tracking::Condition& finished = *workload.finished;
  const WorkloadEnd end = EndOf(finished);
  decision.phase = end.phase;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = finished.message;
  if (context.record.attempt == 0) return;  // we had no part in it
  EndRound(context, AttemptEnd::kLostRace, decision);
  const bool is_news = ReportOnce(context, end.note, decision.worker, finished.message, decision);
  if (is_news && !workload.cluster_name.empty())
    EndOn(decision.worker, end.attempt, decision, finished.message);
}

void DecideTakenBack(const Context& context, Decision& decision) {
  EndRound(context, AttemptEnd::kEvicted, decision);
  const ClusterName worker(context.workload().cluster_name);
  if (!worker.value.empty()) EndOn(worker, AttemptEnd::kEvicted, decision);
  ReportHeldBack(context, decision);
}

// MultiKueue gives it back when its worker has evicted it or is lost, and when the copy there is
// gone ("Admitting remote no longer exists"): a user has deleted it, or MultiKueue itself has,
// because its spec differed; or the MultiKueueConfig does not name the worker any more
// (reconcileGroup() of Kueue 0.19.2). The message does not decide which of these it is, but what is
// seen of the worker does, also when the check was written before this process started. A worker
// that may be used has failed, and may do the same again at once: others are asked first. One that
// may not be used any more has not failed.
void DecideRetry(const Context& context, const tracking::AdmissionCheckState& check,
                 Decision& decision) {
  decision.phase = Phase::kRequeued;
  decision.worker = ClusterName(context.workload().cluster_name);
  decision.why = check.message;
  if (decision.worker.value.empty()) return;
  const ClusterView* worker = context.Find(decision.worker.value);
  if (worker != nullptr && worker->allowed)
    return RememberTakenBack(context, *worker, check.since, notes::kRequeued, decision);
  if (ReportOnce(context, notes::kRequeued, decision.worker, decision.why, decision))
    EndOn(decision.worker, AttemptEnd::kEvicted, decision);
}

void DecideRejected(const Context& context, const tracking::AdmissionCheckState& check,
                    Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.why = check.message;
  ReportOnce(context, notes::kNotDispatchable, {}, check.message, decision);
}

void DecidePlaced(const Context& context, const tracking::AdmissionCheckState& check,
                  Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = ClusterName(context.workload().cluster_name);
  decision.why = check.message;
  RefuseMove(context, decision);
  ReportOnce(context, notes::kPlaced, decision.worker, AdmittedText(decision.worker), decision);
  EndRound(context, AttemptEnd::kLostRace, decision);
  const ClusterView* worker = context.Find(context.workload().cluster_name);
  if (worker == nullptr || !IsEvictedOn(*worker)) return;
  decision.phase = Phase::kRequeued;
  decision.why = EvictedText(*worker);
  RememberTakenBack(context, *worker, check.since, notes::kEvictedOnWorker, decision);
}

}  // namespace fedra::placement
