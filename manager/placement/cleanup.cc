// The stages that leave: finished, evicted, gone.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/note_reasons.h"
#include "manager/placement/stages.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

constexpr std::string_view kWaitingForQuota = "waiting for quota on the manager";

}  // namespace

const ClusterView* Context::Find(std::string_view name) const {
  for (const ClusterView& cluster : clusters) {
    if (cluster.name.value == name) return &cluster;
  }
  return nullptr;
}

bool Contains(const std::vector<ClusterName>& names, const ClusterName& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HasOwnClone(const Context& context, const ClusterView& cluster) {
  return cluster.clone != nullptr && IsOurs(*cluster.clone, context.policy.origin, context.uid());
}

bool HasOwnJob(const Context& context, const ClusterView& cluster) {
  return cluster.job != nullptr && IsOurs(*cluster.job, context.policy.origin, context.uid());
}

void RememberFailure(const Context& context, const ClusterView& cluster, dra::ReasonCode reason,
                     std::string message, Decision& decision, bool refused) {
  decision.actions.emplace_back(
      RecordFailure{{cluster.name, reason, context.now, std::move(message), refused}});
}

const ClusterView* UnmirroredEnd(const Context& context) {
  const tracking::Job* local = context.view.job.get();
  if (local == nullptr || local->finished) return nullptr;
  const tracking::Workload& workload = context.workload();
  const auto ended = [&](const std::string& name) {
    const ClusterView* cluster = context.Find(name);
    const bool counts =
        cluster != nullptr && HasOwnJob(context, *cluster) && cluster->job->finished;
    return counts ? cluster : nullptr;
  };
  if (!workload.cluster_name.empty()) return ended(workload.cluster_name);
  for (const std::string& name : workload.nominated) {
    if (const ClusterView* cluster = ended(name); cluster != nullptr) return cluster;
  }
  return nullptr;
}

void TellEnd(const ClusterView& cluster, Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = cluster.name;
  decision.why = fmt::format("ended on {}; its end is being told", cluster.name.value);
  decision.actions.emplace_back(MirrorStatus{cluster.name});
}

bool EndedAsItsJob(const tracking::Condition& finished) {
  return finished.reason == tracking::kSucceeded || finished.reason == tracking::kFailed;
}

void WakeBy(WallTime time, std::optional<WallTime>& wake_at) {
  wake_at = std::min(wake_at.value_or(time), time);
}

bool IsLost(const Context& context, const ClusterView& cluster) {
  // One that is settling is asked first, however long it was away.
  return cluster.contact != Contact::kFull && !cluster.settling && cluster.lost_since &&
         context.now >= *cluster.lost_since + context.policy.worker_lost_timeout;
}

bool IsOutOfReach(const Context& context, const ClusterView& cluster) {
  return cluster.contact == Contact::kNone || IsLost(context, cluster);
}

bool CleanUp(const Context& context, const ClusterView* keep, std::string_view outcome,
             Decision& decision) {
  bool clean = true;
  for (const ClusterView& cluster : context.clusters) {
    if (&cluster == keep) continue;
    const bool has_ours = HasOurs(cluster, context.policy);
    if (IsOutOfReach(context, cluster)) {
      if (has_ours || Contains(context.record.nominated, cluster.name))
        decision.actions.emplace_back(RecordResidue{cluster.name});
    } else if (has_ours) {
      clean = false;
      decision.actions.emplace_back(DeleteRemote{cluster.name, std::string(outcome)});
    }
  }
  return clean;
}

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
  if (!CleanUp(context, nullptr, ToString(decision.phase), decision))
    decision.actions.emplace_back(Note{deleted ? notes::kDeleted.name : notes::kCompleted.name,
                                       decision.worker, workload.finished->message,
                                       /*subject=*/"the end"});
}

void DecideUnchecked(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const ClusterView* worker = context.Find(workload.cluster_name);
  if (worker == nullptr || workload.Evicted() || !workload.QuotaReserved())
    return DecideGone(context, decision);
  // Its job runs there, and Kueue, which admitted it, will not stop it.
  decision.phase = Phase::kRunning;
  decision.worker = worker->name;
  decision.why = "its AdmissionCheck of fedra is gone; the job goes on where it is";
  if (worker->contact == Contact::kFull && HasOwnJob(context, *worker))
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
