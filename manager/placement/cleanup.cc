// The stages that leave: finished, evicted, gone.

#include <utility>

#include "manager/placement/note_reasons.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

constexpr std::string_view kWaitingForQuota = "waiting for quota on the manager";

}  // namespace

void DecideGone(const Context& context, Decision& decision) {
  decision.phase = Phase::kGone;
  if (CleanUp(context, nullptr, "Deleted", decision)) decision.actions.emplace_back(Forget{});
}

void DecideFinished(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  // Kueue finishes the Workload of a job that was deleted, or that no longer owns it.
  const std::string& reason = workload.finished->reason;
  const bool deleted = reason == tracking::kOwnerNotFound;
  const bool failed = reason == tracking::kFailed || reason == tracking::kFailedToStart;
  decision.phase = deleted ? Phase::kGone : failed ? Phase::kFailed : Phase::kFinished;
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
  const std::string_view note = deleted  ? notes::kDeleted.name
                                : failed ? notes::kJobFailed.name
                                         : notes::kCompleted.name;
  if (!CleanUp(context, nullptr, ToString(decision.phase), decision, message))
    decision.actions.emplace_back(Note{note, decision.worker, message, /*subject=*/"the end"});
}

void DecideUnchecked(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
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
    return TellEnd(*ended, decision);
  CleanUp(context, nullptr, "Evicted", decision);
  if (context.view.job != nullptr && context.view.job->shows_activity)
    decision.actions.emplace_back(ClearActivity{});
  const bool placed = !workload.cluster_name.empty() || !workload.nominated.empty();
  // Before Kueue has reset the check, the write would only race with Kueue's own.
  if (placed && check.state == tracking::CheckState::kPending) {
    ClearPlacement clear;
    clear.message = kWaitingForQuota;
    decision.actions.emplace_back(std::move(clear));
  }
  if (!workload.active) {
    decision.phase = Phase::kSuspended;
    decision.why = NotDispatchable(context.view);
    if (decision.why.empty()) decision.why = "deactivated (spec.active is false)";
  } else if (workload.Evicted()) {
    decision.phase = Phase::kRequeued;
    decision.why = workload.evicted->message;
  } else {
    decision.phase = Phase::kWaiting;
    decision.why = workload.quota_reserved && !workload.quota_reserved->message.empty()
                       ? workload.quota_reserved->message
                       : std::string(kWaitingForQuota);
  }
}

}  // namespace fedra::placement
