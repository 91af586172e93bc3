// The stages that leave: finished, evicted, gone.

#include <algorithm>
#include <utility>

#include "manager/placement/note_reasons.h"
#include "manager/placement/stages.h"

namespace fedra::placement {
namespace {

constexpr std::string_view kWaitingForQuota = "waiting for quota on the manager";

bool WasNominated(const PlacementRecord& record, const ClusterName& cluster) {
  return std::find(record.nominated.begin(), record.nominated.end(), cluster) !=
         record.nominated.end();
}

// The worker whose finished job the manager's job does not show yet; null: none.
const ClusterView* UnmirroredEnd(const Context& context) {
  const tracking::Job* local = context.view.job.get();
  if (local == nullptr || local->finished) return nullptr;
  const ClusterView* winner = context.Find(context.workload().cluster_name);
  if (winner == nullptr || winner->contact != Contact::kFull || winner->job == nullptr)
    return nullptr;
  const bool ours = IsOurs(*winner->job, context.policy.origin, context.uid());
  return ours && winner->job->finished ? winner : nullptr;
}

}  // namespace

const ClusterView* Context::Find(std::string_view name) const {
  for (const ClusterView& cluster : clusters) {
    if (cluster.name.value == name) return &cluster;
  }
  return nullptr;
}

bool HasOurs(const ClusterView& cluster, const Policy& policy) {
  return (cluster.clone != nullptr && IsOurs(*cluster.clone, policy.origin, {})) ||
         (cluster.job != nullptr && IsOurs(*cluster.job, policy.origin, {}));
}

bool CleanUp(const Context& context, const ClusterView* keep, std::string_view outcome,
             Decision& decision) {
  bool clean = true;
  for (const ClusterView& cluster : context.clusters) {
    if (&cluster == keep) continue;
    const bool has_ours = HasOurs(cluster, context.policy);
    if (cluster.contact == Contact::kNone) {
      if (has_ours || WasNominated(context.record, cluster.name))
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
  decision.phase = workload.finished->reason == "Failed" ? Phase::kFailed : Phase::kFinished;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = workload.finished->message;
  if (const ClusterView* winner = UnmirroredEnd(context); winner != nullptr) {
    decision.actions.emplace_back(MirrorStatus{winner->name});
    return;
  }
  if (!CleanUp(context, nullptr, ToString(decision.phase), decision))
    decision.actions.emplace_back(
        Note{notes::kCompleted.name, decision.worker, workload.finished->message});
}

void DecideWithoutQuota(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const tracking::AdmissionCheckState& check = *workload.Check(context.view.check);
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
    decision.why = "deactivated (spec.active is false)";
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
