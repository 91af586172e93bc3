// The stages in which a workload leaves its workers: finished, evicted, gone, or about to be
// evicted.

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

// The worker that shows the copies of a job that failed, for as long as they are to stay there.
// Only what the API objects say decides, so a restart changes nothing. Null: none.
const ClusterView* KeepsFailed(const Context& context) {
  const tracking::Workload& workload = context.workload();
  const ClusterView* worker = context.Find(workload.cluster_name);
  if (context.policy.keep_failed.count() == 0 || context.view.job == nullptr || worker == nullptr)
    return nullptr;
  const bool shows_it = worker->membership == Membership::kConfigured && HasOwnClone(*worker) &&
                        HasOwnJob(*worker) && worker->job->failed;
  const bool in_time = context.now < workload.finished->since + context.policy.keep_failed;
  return shows_it && in_time ? worker : nullptr;
}

// Pods and jobs are watched apart: how the pods ended may be seen after the job's end.
constexpr std::chrono::seconds kPodsAreSeen{5};
constexpr std::chrono::seconds kPodsLook{1};

// Whether its pods have more to say: how they ended, and what they logged last.
bool ShowsFailure(const ClusterView* worker) {
  return worker != nullptr && worker->contact == Contact::kFull && worker->pods_watched &&
         HasOwnJob(*worker) && worker->job->failed;
}

// Until when how its pods ended may still be seen; null: it is, or that time is over. The end is
// dated by the manager's clock, which may be ahead of ours.
std::optional<WallTime> AwaitsPods(const Context& context, const ClusterView& worker,
                                   Decision& decision) {
  if (!worker.pod_failures.empty()) return std::nullopt;
  const auto& placing = context.record.placing;
  const bool known = placing && placing->end_seen;
  const WallTime seen = known ? *placing->end_seen : context.now;
  const WallTime until = std::min(context.workload().finished->since, seen) + kPodsAreSeen;
  if (context.now >= until) return std::nullopt;
  if (!known) decision.actions.emplace_back(RecordEnd{});
  return until;
}

// Adds to `message` until when the copies stay.
void Keep(const Context& context, const ClusterView& worker, AttemptEnd end, std::string& message,
          Decision& decision) {
  const WallTime until = context.workload().finished->since + context.policy.keep_failed;
  decision.actions.emplace_back(KeepRemote{worker.name, end, message});
  WakeBy(until, decision.wake_at);
  const std::string kept = fmt::format("; its job and pods stay on {} until {}", worker.name.value,
                                       FormatRfc3339(until));
  decision.why += kept;
  message += kept;
}

// A pod that is gated on the manager outlives an eviction there, and Kueue has left its Workload
// out.
bool IsStranded(const Context& context) {
  const tracking::Workload& workload = context.workload();
  const tracking::Job* job = context.view.job.get();
  return context.view.holds_check && workload.is_left_unqueued && workload.active &&
         !workload.QuotaReserved() && job != nullptr && !job->finished && !job->deleting;
}

// A nomination stands for a clone that may have been made unseen. One that ended leaves none.
void ForgetEmptied(const Context& context, Decision& decision) {
  for (const ClusterView& cluster : context.clusters) {
    if (cluster.contact == Contact::kFull && !HasOurs(cluster) &&
        Contains(context.record.nominated, cluster.name))
      decision.actions.emplace_back(RecordRemoval{cluster.name});
  }
}

}  // namespace

void DecideGone(const Context& context, Decision& decision) {
  decision.phase = Phase::kGone;
  if (CleanUp(context, nullptr, AttemptEnd::kDeleted, decision))
    decision.actions.emplace_back(Forget{});
}

void DecideFinished(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const WorkloadEnd end = EndOf(*workload.finished);
  const bool failed = end.phase == Phase::kFailed;
  decision.phase = end.phase;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = workload.finished->message;
  if (const ClusterView* winner = UnmirroredEnd(context); winner != nullptr) {
    decision.actions.emplace_back(MirrorStatus{winner->name});
    return;
  }
  std::string message = workload.finished->message;
  const ClusterView* worker = context.Find(workload.cluster_name);
  if (failed && worker != nullptr && !worker->pod_failures.empty())
    message += "; its pods: " + worker->pod_failures;
  if (failed && ShowsFailure(worker)) {
    if (const auto until = AwaitsPods(context, *worker, decision))
      return WakeBy(std::min(*until, context.now + kPodsLook), decision.wake_at);
    if (context.policy.failure_log_lines > 0)
      decision.actions.emplace_back(KeepLog{worker->name, context.policy.failure_log_lines});
  }
  const ClusterView* kept = failed ? KeepsFailed(context) : nullptr;
  const bool clean = CleanUp(context, kept, end.attempt, decision, message);
  if (kept != nullptr) Keep(context, *kept, end.attempt, message, decision);
  ForgetEmptied(context, decision);
  if (!clean || kept != nullptr)
    decision.actions.emplace_back(Note{end.note.name, decision.worker, message, {"the end"}});
}

void DecideUnchecked(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  if (context.view.unasked != Unasked::kNo) {
    CleanUp(context, nullptr, AttemptEnd::kWithdrawn, decision);
    return ReportHeldBack(context, decision);
  }
  const ClusterView* worker = context.Find(workload.cluster_name);
  if (worker == nullptr || workload.Evicted() || !workload.QuotaReserved())
    return DecideGone(context, decision);
  // Its job runs there, and Kueue, which admitted it, will not stop it.
  decision.phase = Phase::kRunning;
  decision.worker = worker->name;
  decision.why = "fedra's AdmissionCheck was removed; the job keeps running where it is";
  if (worker->contact == Contact::kFull && HasOwnJob(*worker))
    decision.actions.emplace_back(MirrorStatus{worker->name});
}

void DecideWithoutQuota(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const tracking::AdmissionCheckState& check = *workload.Check(context.view.check);
  if (const ClusterView* ended = UnmirroredEnd(context); ended != nullptr)
    return MirrorEnd(*ended, decision);
  const tracking::Job* job = context.view.job.get();
  const bool has_failed = job != nullptr && job->failed;
  CleanUp(context, nullptr, has_failed ? AttemptEnd::kFailed : AttemptEnd::kEvicted, decision);
  if (job != nullptr && job->shows_activity) decision.actions.emplace_back(ClearActivity{});
  const bool placed = !workload.cluster_name.empty() || !workload.nominated.empty();
  // Before Kueue has reset the check, the write would only race with Kueue's own.
  if (placed && check.state == tracking::CheckState::kPending) {
    ClearPlacement clear;
    clear.message = kWaitingForQuota;
    decision.actions.emplace_back(std::move(clear));
  }
  if (IsStranded(context)) decision.actions.emplace_back(Requeue{});
  ReportHeldBack(context, decision);
  // Kueue does not finish every job that has failed, and queues none again.
  if (has_failed) decision.phase = Phase::kFailed;
}

// Who wrote it is not asked: fedra, or Kueue's MultiKueue before fedra took its place ("Admitting
// remote lost", "Admitting remote no longer exists"; reconcileGroup() in
// pkg/controller/admissionchecks/multikueue/workload.go of Kueue 0.19.2). In that mode the eviction
// clears clusterName, and the store may never have known it: what follows from it is done now.
void DecideGivenBack(const Context& context, const tracking::AdmissionCheckState& check,
                     Decision& decision) {
  decision.phase = Phase::kRequeued;
  decision.why = check.message;
  if (!context.view.kueue_clears) return;
  // After the eviction only its clone would show that it ran there, and that may be gone.
  if (const ClusterView* ended = UnmirroredEnd(context); ended != nullptr)
    return MirrorEnd(*ended, decision);
  const ClusterView* worker = context.Find(context.workload().cluster_name);
  if (worker != nullptr && IsOutOfReach(context, *worker))
    decision.actions.emplace_back(RecordResidue{worker->name});
}

}  // namespace fedra::placement
