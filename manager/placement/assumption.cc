#include "manager/placement/assumption.h"

#include <algorithm>

#include "manager/placement/check_report.h"

namespace fedra::placement {

namespace {

// Of a clone that gets none any more nothing; null: there is no clone yet.
QuotaAssumption QuotaOf(const tracking::Requirement& asks, const tracking::Workload* clone) {
  QuotaAssumption quota{.queue = asks.queue};
  if (clone != nullptr && !clone->active) return quota;
  quota.counted = asks.counted == nullptr ? asks.demands : asks.counted;
  if (clone == nullptr) return quota;
  quota.is_without = !clone->QuotaReserved();
  if (!quota.is_without) quota.reserved_at = clone->quota_reserved->since;
  return quota;
}

}  // namespace

bool IsDispatchedTo(const WorkloadView& view, const ClusterName& worker) {
  const tracking::Workload& workload = *view.workload;
  if (!workload.QuotaReserved() || workload.Evicted()) return false;
  const tracking::AdmissionCheckState* check = workload.Check(view.check);
  // Without its check the job keeps running where it is.
  if (check == nullptr || IsPlaced(view, *check)) return workload.cluster_name == worker.value;
  const auto& nominated = workload.nominated;
  return check->state == tracking::CheckState::kPending &&
         (view.kueue_copies || view.kueue_clears || IsWrittenSinceReserved(workload, *check)) &&
         std::find(nominated.begin(), nominated.end(), worker.value) != nominated.end();
}

Assumption AssumptionOf(const WorkloadView& view) {
  const tracking::Workload& workload = *view.workload;
  Assumption assumption{.workload = view.key,
                        .uid = workload.uid,
                        .job = {workload.requirement.kind, {view.key.ns, workload.owner.name}},
                        .claims = workload.requirement.ClaimNames(),
                        .demands = workload.requirement.demands,
                        .since = std::nullopt,
                        .quota = QuotaOf(workload.requirement, nullptr)};
  assumption.quota.is_without = true;
  return assumption;
}

std::optional<Assumption> AssumptionOn(const WorkloadView& view, const ClusterView& cluster) {
  const tracking::Workload* workload = view.workload.get();
  if (workload == nullptr || workload->deleting || workload->Finished() ||
      workload->requirement.demands == nullptr)
    return std::nullopt;
  const tracking::Workload* clone = HasOwnClone(cluster) ? cluster.clone.get() : nullptr;
  const tracking::Job* job = HasOwnJob(cluster) ? cluster.job.get() : nullptr;
  if ((clone != nullptr && clone->Finished()) || (job != nullptr && job->finished))
    return std::nullopt;
  const bool stays = (clone != nullptr && !clone->deleting) || (job != nullptr && !job->deleting);
  if (!stays && !IsDispatchedTo(view, cluster.name)) return std::nullopt;
  // Its pods come when that Kueue has quota for them. So do those of one whose job is there for
  // other Workloads (parts.h).
  const bool lacks_quota = clone != nullptr && clone->quota_reserved && !clone->QuotaReserved();
  Assumption assumption = AssumptionOf(view);
  if (clone != nullptr) assumption.since = clone->created;
  assumption.takes_devices = !lacks_quota || job != nullptr;
  assumption.quota = QuotaOf(workload->requirement, clone);
  return assumption;
}

}  // namespace fedra::placement
