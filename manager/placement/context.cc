#include "manager/placement/context.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/tracking/job_members.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {

const ClusterView* Context::Find(std::string_view name) const {
  for (const ClusterView& cluster : clusters) {
    if (cluster.name.value == name) return &cluster;
  }
  return nullptr;
}

bool Contains(const std::vector<ClusterName>& names, const ClusterName& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const ClusterView* UnmirroredEnd(const Context& context) {
  const tracking::Job* local = context.view.job.get();
  if (local == nullptr || local->finished) return nullptr;
  const tracking::Workload& workload = context.workload();
  const auto ended = [&](const std::string& name) {
    const ClusterView* cluster = context.Find(name);
    const bool counts = cluster != nullptr && HasOwnJob(*cluster) &&
                        tracking::ShowsNewEnd(context.view.job, cluster->job);
    return counts ? cluster : nullptr;
  };
  if (!workload.cluster_name.empty()) return ended(workload.cluster_name);
  for (const std::string& name : workload.nominated) {
    if (const ClusterView* cluster = ended(name); cluster != nullptr) return cluster;
  }
  // Kueue has cleared where it was, and has the quota still: no other worker has got it since.
  if (!context.view.kueue_clears || !workload.Evicted() || !workload.QuotaReserved())
    return nullptr;
  for (const ClusterView& at : context.clusters) {
    const ClusterView* cluster = ended(at.name.value);
    if (cluster != nullptr && HasOwnClone(at) && at.clone->Admitted()) return cluster;
  }
  return nullptr;
}

bool EndedAsItsJob(const tracking::Condition& finished) {
  return finished.reason == tracking::kSucceeded || finished.reason == tracking::kFailed;
}

std::string NotDispatchable(const WorkloadView& view) {
  const tracking::Owner& owner = view.workload->owner;
  if (!view.kind_supported)
    return fmt::format(
        "no adapter for owner kind \"{}, Kind={}\": {}", owner.api_version, owner.kind,
        tracking::IsMadeOfPods(*view.workload)
            ? "fedra runs it with kueue.pods: true (docs/kinds.md)"
            : "an entry of kinds in fedra's configuration may add it (docs/kinds.md)");
  if (view.job == nullptr) return {};
  const tracking::Job& job = *view.job;
  if (job.managed_by == tracking::kManagedBy) return job.never;
  return fmt::format(
      "the job is not managed by Kueue: expecting {} to be \"{}\" not \"{}\"; delete it and "
      "create it again",
      job.kind == nullptr ? "spec.managedBy" : job.kind->managed_by_path(), tracking::kManagedBy,
      job.managed_by);
}

bool IsLost(const Context& context, const ClusterView& cluster) {
  // One that is resyncing is asked first, however long it was away.
  return cluster.contact != Contact::kFull && !cluster.resyncing && cluster.lost_since &&
         context.now >= *cluster.lost_since + context.policy.worker_lost_timeout;
}

bool IsOutOfReach(const Context& context, const ClusterView& cluster) {
  return cluster.contact == Contact::kNone || IsLost(context, cluster);
}

}  // namespace fedra::placement
