// The stage in which a worker has the workload: keep its status current, unless its run is over
// (running.h).

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/time.h"
#include "manager/placement/check_report.h"
#include "manager/placement/message.h"
#include "manager/placement/move.h"
#include "manager/placement/not_started.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/parts.h"
#include "manager/placement/rank.h"
#include "manager/placement/running.h"
#include "manager/placement/slices.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/job_members.h"
#include "manager/tracking/kueue_api.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;

// In the history once, also after a restart.
void NoteRequest(const Context& context, const tracking::MoveRequest& move,
                 const ClusterView& worker, const std::string& to, Decision& decision) {
  const std::string until = FormatRfc3339(move.at + kMoveStands);
  const Message message{
      fmt::format("asked to move to {}, which cannot be done yet; the request stands until {}", to,
                  until),
      Hash64(move.to, Hash64(until))};
  if (!IsNews(context, message)) return;
  decision.actions.emplace_back(RecordReport{AsReported(context, message)});
  decision.actions.emplace_back(Note{notes::kMoveRequested.name, worker.name, message.text});
}

// What came of a move that a user has asked for.
struct MoveResult {
  bool taken_back = false;  // for a worker that can take it now
  std::string why_not_yet;  // of one that stands; empty: none does
};

MoveResult TryMove(const Context& context, const ClusterView& worker, Decision& decision) {
  if (const auto at = NextMove(context.view, context.now)) WakeBy(*at, decision.wake_at);
  const tracking::MoveRequest* move = DueMove(context.view, context.now);
  if (move == nullptr || HasEndedOn(worker)) return {};
  const std::string to = move->to.empty() ? "another worker" : move->to;
  const MoveTarget target = TargetOf(*move, worker, context.clusters, context.record,
                                     context.policy, context.now, context.workload().key.ns);
  if (target.worker != nullptr) {
    TakeBack(notes::kRequeued, worker.name, fmt::format("it is moved to {}, as asked", to),
             decision);
    return {.taken_back = true, .why_not_yet = {}};
  }
  NoteRequest(context, *move, worker, to, decision);
  WakeBy(context.now + kMoveRecheck, decision.wake_at);
  const std::string stands =
      fmt::format("; the request stands until {}, and `fedra move --cancel` takes it back",
                  FormatRfc3339(move->at + kMoveStands));
  return {.taken_back = false,
          .why_not_yet = Cut("asked to move to " + target.why_not,
                             tracking::kMaxCheckMessage - stands.size()) +
                         stands};
}

void TakeBackForConflict(const Context& context, const ClusterView& worker,
                         const tracking::Job& foreign, Decision& decision) {
  std::string message =
      fmt::format("a foreign job {} exists on {}", foreign.key.ToString(), worker.name.value);
  // No refusal, which would end in time only: this one ends when the foreign job goes.
  RememberFailure(context, worker, verdict::ReasonCode::kNameConflict, message, decision);
  TakeBack(notes::kNameConflict, worker.name, std::move(message), decision);
}

// What the worker said when it refused a member of a group, or an adoption, in this round and
// before anything ran; null: it did not. A group that ran is not taken back for a replacement that
// is refused.
const Failure* RefusedObject(const Context& context, const ClusterView& worker) {
  const bool has_run = std::ranges::any_of(
      tracking::ObjectsOf(worker.job),
      [](const tracking::JobPtr& copy) { return copy->shows_activity || copy->finished; });
  if (has_run || !FailedInRound(context.record, worker.name)) return nullptr;
  const auto found = std::ranges::find_if(context.record.failures, [&](const Failure& failure) {
    return failure.cluster == worker.name && failure.refused;
  });
  return found == context.record.failures.end() ? nullptr : &*found;
}

// A member that went there by itself, or is new here, is made; one that went here goes there.
void KeepGroup(const Context& context, const ClusterView& worker, Decision& decision) {
  const bool is_missing = !tracking::MissingOf(context.view.job, worker.job).empty();
  if (const Failure* refused = is_missing ? RefusedObject(context, worker) : nullptr)
    return TakeBack(notes::kRequeued, worker.name, refused->message, decision);
  if (worker.job != nullptr) decision.actions.emplace_back(MirrorStatus{worker.name});
  if (!tracking::SurplusOf(context.view.job, worker.job).empty())
    decision.actions.emplace_back(RemoveSurplus{worker.name});
  if (is_missing) decision.actions.emplace_back(CreateJob{worker.name});
}

// Whether the worker's Kueue looks after the job by our clone, or will without more of ours.
bool IsAdopted(const Context& context, const ClusterView& worker) {
  return context.view.adoption != tracking::Adoption::kOwner || worker.job->deleting ||
         (worker.clone->owner.uid == worker.job->uid && worker.job->queued);
}

void DecideRunning(const Context& context, const ClusterView& worker, Decision& decision) {
  CleanUp(context, &worker, AttemptEnd::kLostRace, decision);
  if (tracking::PriorityDiffers(context.workload(), *worker.clone))
    decision.actions.emplace_back(SetClonePriority{worker.name});
  if (tracking::IsToShrink(context.workload(), *worker.clone))
    decision.actions.emplace_back(UpdateClone{worker.name});
  if (worker.in_the_way != nullptr)
    return TakeBackForConflict(context, worker, *worker.in_the_way, decision);
  if (worker.job != nullptr && !HasOwnJob(worker))
    return TakeBackForConflict(context, worker, *worker.job, decision);
  if (context.view.job->is_group()) return KeepGroup(context, worker, decision);
  if (context.workload().follows) return;  // the copy is the first Workload's
  if (worker.job == nullptr) {
    // A clone with an owner had its job: it was deleted there (Kueue will finish the clone and say
    // so), or our list of jobs is a moment behind. Neither calls for another one. Some name their
    // owner from the beginning, by annotations that have no UID.
    if (worker.clone->owner.uid.empty()) decision.actions.emplace_back(CreateJob{worker.name});
  } else if (IsAdopted(context, worker)) {
    const bool is_old = !tracking::IsUpToDate(*worker.job, *context.view.job, context.workload());
    if (is_old && !worker.job->deleting) decision.actions.emplace_back(UpdateCopy{worker.name});
    decision.actions.emplace_back(MirrorStatus{worker.name});
    decision.why = worker.job->readiness;
    TellIfNotStarted(context, worker, decision);
  } else if (const Failure* refused = RefusedObject(context, worker)) {
    TakeBack(notes::kRequeued, worker.name, refused->message, decision);
  } else {
    decision.actions.emplace_back(AdoptClone{worker.name});
  }
}

// It was removed from the configuration: nothing is known of what it has.
void TakeBackFromUnknown(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  TakeBack(notes::kRequeued, decision.worker,
           fmt::format("worker {0} is no longer configured; what is still there is removed as soon "
                       "as {0} is configured again, or by hand: Job and Workload {1}",
                       workload.cluster_name, workload.key.ToString()),
           decision);
}

}  // namespace

void DecideReady(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const bool grows = IsHandedOver(context.view, *workload.Check(context.view.check));
  decision.phase = Phase::kRunning;
  decision.worker = ClusterName(workload.cluster_name);
  if (workload.cluster_name.empty())
    return TakeBack(notes::kRequeued, {}, "the admission check is Ready but no worker is recorded",
                    decision);
  const ClusterView* worker = context.Find(workload.cluster_name);
  if (EndsWithJob(context.view)) return FinishSlice(context, worker, decision);
  if (worker == nullptr) return TakeBackFromUnknown(context, decision);
  // Until its own clone has the quota, the job runs as it did before.
  const bool waits = grows && AwaitsClone(*worker);
  const std::optional<ClusterView> before = waits ? std::optional(AsBefore(*worker)) : std::nullopt;
  const ClusterView& runs = before ? *before : *worker;
  if (EndsRun(context, runs, decision)) return;
  const ClusterName others = PlaceOfOthers(context.view, context.now);
  if (!others.value.empty() && others != worker->name)
    return TakeBack(notes::kRequeued, worker->name,
                    fmt::format("the job's first Workload is on {}", others.value), decision);
  const MoveResult move = TryMove(context, runs, decision);
  if (move.taken_back) return;
  if (waits) {
    WaitToGrow(context, *worker, decision);
  } else {
    DecideRunning(context, *worker, decision);
  }
  if (decision.phase != Phase::kRunning) return;
  if (grows && !waits) AdmitOn(context, *worker, decision);
  // Who has made the check Ready has not said where its pods are: it was an earlier release.
  if (workload.awaits_topology && !grows && !context.view.holds_check)
    decision.actions.emplace_back(SetCheck{CheckState::kReady, AdmittedText(worker->name)});
  if (!move.why_not_yet.empty())
    decision.why += (decision.why.empty() ? "" : "; ") + move.why_not_yet;
}

}  // namespace fedra::placement
