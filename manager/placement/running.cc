#include "manager/placement/running.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/placement/message.h"
#include "manager/placement/refusal.h"
#include "manager/placement/slices.h"
#include "manager/placement/steps.h"
#include "manager/tracking/job_members.h"
#include "manager/tracking/kueue_api.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

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
// itself. So it does with a job that it can only stop for good.
bool WasStopped(const ClusterView& worker) {
  if (!worker.clone->Evicted() || !HasOwnJob(worker)) return false;
  return worker.job->stopped || (worker.job->is_group() && !worker.job->finished);
}

}  // namespace

void TakeBack(const notes::NoteReason& note, const ClusterName& cluster, std::string message,
              Decision& decision) {
  message = Cut(std::move(message), tracking::kMaxCheckMessage);  // it may hold the worker's words
  decision.phase = Phase::kRequeued;
  decision.worker = {};
  decision.why = message;
  decision.actions.emplace_back(SetCheck{tracking::CheckState::kRetry, message});
  decision.actions.emplace_back(Note{note.name, cluster, std::move(message)});
}

bool HasEndedOn(const ClusterView& worker) {
  return (worker.job != nullptr && worker.job->finished) ||
         (worker.clone != nullptr && worker.clone->Finished() && !WasReplaced(*worker.clone));
}

bool EndsRun(const Context& context, const ClusterView& worker, Decision& decision) {
  if (IsToBeDrained(worker)) {
    TakeBack(notes::kRequeued, worker.name, WhyDrained(worker), decision);
    return true;
  }
  // A worker that answers but cannot be listed is as lost as one that does not answer.
  if (worker.contact != Contact::kFull) {
    DecideWithoutContact(context, worker, decision);
    return true;
  }
  if (context.view.job == nullptr) return true;  // an event will wake us
  const tracking::Workload* clone = worker.clone.get();
  if (!HasOwnClone(worker) || clone->deleting) {
    TakeBack(notes::kRequeued, worker.name,
             fmt::format("the copy on {} no longer exists", worker.name.value), decision);
  } else if (WasReplaced(*clone)) {
    return false;  // and so it will not end there
  } else if (clone->Finished() && !WasStopped(worker)) {
    DecideFinishedClone(context, worker, decision);
  } else if (LiesThere(worker)) {
    MirrorEnd(worker, decision);
  } else if (!clone->Admitted() || clone->Evicted()) {
    DecideEvictedClone(context, worker, decision);
  } else {
    return false;
  }
  return true;
}

}  // namespace fedra::placement
