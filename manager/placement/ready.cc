// The stage in which a worker has the workload: keep its status current, and notice when it has it
// no longer.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/time.h"
#include "manager/placement/check_report.h"
#include "manager/placement/message.h"
#include "manager/placement/move.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/parts.h"
#include "manager/placement/rank.h"
#include "manager/placement/refusal.h"
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

// Gives the workload back to Kueue, which evicts it, queues it again, and brings it back here.
void TakeBack(const notes::NoteReason& note, const ClusterName& cluster, std::string message,
              Decision& decision) {
  message = Cut(std::move(message), tracking::kMaxCheckMessage);  // it may hold the worker's words
  decision.phase = Phase::kRequeued;
  decision.worker = {};
  decision.why = message;
  decision.actions.emplace_back(SetCheck{CheckState::kRetry, message});
  decision.actions.emplace_back(Note{note.name, cluster, std::move(message)});
}

// Then it is not run again.
bool HasEndedOn(const ClusterView& worker) {
  return (worker.job != nullptr && worker.job->finished) ||
         (worker.clone != nullptr && worker.clone->Finished());
}

// While it is out of reach its job may be running: then its loss is waited for, as always.
bool IsToBeDrained(const ClusterView& worker) {
  return (worker.membership == Membership::kDrained || worker.drained_for) &&
         worker.contact == Contact::kFull && !HasEndedOn(worker);
}

std::string WhyDrained(const ClusterView& worker) {
  if (!worker.drained_for)
    return fmt::format("worker {} was removed from the configuration", worker.name.value);
  return fmt::format("worker {} is {}", worker.name.value,
                     verdict::ServiceText({.drains = true, .reason = *worker.drained_for}));
}

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

void DecideWithoutContact(const Context& context, const ClusterView& worker, Decision& decision) {
  const std::optional<Outage> outage = WaitForContact(context, worker, decision);
  if (!outage) return;
  std::string message = fmt::format("worker {} has been unreachable since {} ({}), longer than {}",
                                    worker.name.value, FormatRfc3339(outage->since), outage->why,
                                    FormatDuration(context.policy.worker_lost_timeout));
  RememberFailure(context, worker, verdict::ReasonCode::kClusterUnreachable, message, decision);
  decision.actions.emplace_back(RecordResidue{worker.name});
  TakeBack(notes::kWorkerLost, worker.name, std::move(message), decision);
}

// Whether the end of the job there is still to be seen, or to be mirrored, behind that of its
// clone. A clone that ended as its job did is seen before the job's own end is. Another end
// ("FailedToStart") leaves the job suspended for ever. A group may have ended there, and not here:
// a pod of it was deleted or replaced meanwhile. Then the ends of its other pods are all there will
// be.
bool IsEndToCome(const Context& context, const ClusterView& worker) {
  const tracking::JobPtr& job = worker.job;
  if (!job->is_group())
    return EndedAsItsJob(*worker.clone->finished) || job->finished || !job->suspended;
  const bool all_are_known = std::ranges::all_of(job->members,
                                                 [](const tracking::JobPtr& copy) {
                                                   return copy->finished || copy->deleting;
                                                 }) &&
                             !tracking::ShowsNewEnd(context.view.job, job);
  return !all_are_known || context.view.job->finished;
}

// The worker's Kueue says the clone is finished.
void DecideFinishedClone(const Context& context, const ClusterView& worker, Decision& decision) {
  const tracking::Condition& finished = *worker.clone->finished;
  if (finished.reason == tracking::kOutOfSync) {
    std::string message = fmt::format("the copy on {} does not match its job there ({}): {}",
                                      worker.name.value, finished.reason, finished.message);
    // It would go the same way again at once, for instance because a webhook there changes jobs.
    decision.actions.emplace_back(
        RefusalOf(worker.name, verdict::ReasonCode::kRecentlyFailed, message, context.now).failure);
    return TakeBack(notes::kRequeued, worker.name, std::move(message), decision);
  }
  if (finished.reason == tracking::kOwnerNotFound)  // not the job's result
    return TakeBack(notes::kRequeued, worker.name,
                    fmt::format("the job was deleted on {}", worker.name.value), decision);
  if (HasOwnJob(worker)) {
    // Kueue on the manager finishes the Workload from the mirrored job.
    decision.actions.emplace_back(MirrorStatus{worker.name});
    if (IsEndToCome(context, worker)) return;
  }
  decision.actions.emplace_back(FinishWorkload{finished.reason, finished.message});
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
    decision.actions.emplace_back(ShrinkClone{worker.name});
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
  } else if (const Failure* refused = RefusedObject(context, worker)) {
    TakeBack(notes::kRequeued, worker.name, refused->message, decision);
  } else {
    decision.actions.emplace_back(AdoptClone{worker.name});
  }
}

void DecideEvictedClone(const Context& context, const ClusterView& worker, Decision& decision) {
  std::string message = EvictedText(worker);
  RememberFailure(context, worker, verdict::ReasonCode::kRecentlyFailed, message, decision,
                  FailureKind::kEvicted);
  TakeBack(notes::kEvictedOnWorker, worker.name, std::move(message), decision);
}

// What ended there without an eviction is over, although its clone has no end: of a job that its
// operator refuses to run Kueue takes the quota back, and lets it lie (RayJob's ValidationFailed).
bool LiesThere(const ClusterView& worker) {
  return !worker.clone->Admitted() && !worker.clone->Evicted() && HasOwnJob(worker) &&
         !worker.job->is_group() && worker.job->finished && !worker.job->deleting;
}

// Where no pod of a group is replaced, Kueue finishes the group when it has stopped the pods
// itself.
bool WasStopped(const ClusterView& worker) {
  return worker.clone->Evicted() && HasOwnJob(worker) && worker.job->is_group() &&
         !worker.job->finished;
}

// Its other checks, say, come first.
bool WaitsForMore(const WorkloadView& view, Decision& decision) {
  auto not_yet = WhyNotYet(view);
  if (!not_yet) return false;
  decision.why = std::move(not_yet->why);
  return true;
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
  if (worker == nullptr) {
    return TakeBack(notes::kRequeued, decision.worker,
                    fmt::format("worker {0} is no longer configured; what is still there is "
                                "removed as soon as {0} is configured again, or by hand: Job and "
                                "Workload {1}",
                                workload.cluster_name, workload.key.ToString()),
                    decision);
  }
  if (IsToBeDrained(*worker))
    return TakeBack(notes::kRequeued, worker->name, WhyDrained(*worker), decision);
  // A worker that answers but cannot be listed is as lost as one that does not answer.
  if (worker->contact != Contact::kFull) return DecideWithoutContact(context, *worker, decision);
  if (context.view.job == nullptr) return;  // an event will wake us
  if (grows && WaitsForMore(context.view, decision)) return;
  const tracking::Workload* clone = worker->clone.get();
  if (grows && clone == nullptr && AwaitsClone(*worker, decision)) return;
  if (!HasOwnClone(*worker) || clone->deleting)
    return TakeBack(notes::kRequeued, worker->name,
                    fmt::format("the copy on {} no longer exists", worker->name.value), decision);
  if (clone->Finished() && !WasStopped(*worker))
    return DecideFinishedClone(context, *worker, decision);
  if (grows && !clone->Evicted() && AwaitsClone(*worker, decision)) return;
  if (LiesThere(*worker)) return MirrorEnd(*worker, decision);
  if (!clone->Admitted() || clone->Evicted()) return DecideEvictedClone(context, *worker, decision);
  const ClusterName others = PlaceOfOthers(context.view, context.now);
  if (!others.value.empty() && others != worker->name)
    return TakeBack(notes::kRequeued, worker->name,
                    fmt::format("the job's first Workload is on {}", others.value), decision);
  const MoveResult move = TryMove(context, *worker, decision);
  if (move.taken_back) return;
  DecideRunning(context, *worker, decision);
  if (grows && decision.phase == Phase::kRunning) AdmitOn(context, *worker, decision);
  // Who has made the check Ready has not said where its pods are: it was an earlier release.
  const bool is_open = workload.awaits_topology && !grows && !context.view.holds_check;
  if (is_open && decision.phase == Phase::kRunning)
    decision.actions.emplace_back(SetCheck{CheckState::kReady, AdmittedText(worker->name)});
  if (decision.phase == Phase::kRunning && decision.why.empty()) decision.why = move.why_not_yet;
}

}  // namespace fedra::placement
