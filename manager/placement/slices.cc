#include "manager/placement/slices.h"

#include <fmt/format.h>

#include "manager/placement/message.h"
#include "manager/placement/steps.h"

namespace fedra::placement {

bool MayHaveCopy(const tracking::Workload& workload) {
  return workload.slice != nullptr && !workload.deleting && !workload.Finished() &&
         !workload.Evicted() && workload.QuotaReserved() && !workload.cluster_name.empty();
}

bool IsCopyOfChain(const tracking::Workload& slice, const tracking::Job& copy,
                   const tracking::Workload* named) {
  const std::string& name = copy.prebuilt_workload;
  if (name.empty()) return false;
  return name == slice.key.name || name == slice.slice->replaces ||
         (named != nullptr && named->slice != nullptr && named->slice->chain == slice.slice->chain);
}

bool IsHandedOver(const WorkloadView& view, const tracking::AdmissionCheckState& check) {
  const tracking::Workload& workload = *view.workload;
  // An eviction, which leaves clusterName where we own it, leaves words in the check, too.
  return MayHaveCopy(workload) && !workload.slice->replaces.empty() &&
         check.state == tracking::CheckState::kPending && check.message.empty();
}

bool AwaitsClone(const ClusterView& worker, Decision& decision) {
  const std::string& name = worker.name.value;
  if (worker.clone == nullptr) {
    decision.actions.emplace_back(CreateClone{worker.name});
    decision.why = fmt::format("it grows on {}, where it runs", name);
    return true;
  }
  if (worker.clone->Admitted()) return false;
  const std::string pending = PendingMessage(worker);
  decision.why = fmt::format("it runs on {} as it was, and grows when that admits it{}{}", name,
                             pending.empty() ? "" : ": ", pending);
  if (HasOwnJob(worker)) decision.actions.emplace_back(MirrorStatus{worker.name});
  return true;
}

void DecideBesideSlice(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  if (!workload.QuotaReserved() || workload.Evicted()) return ReportHeldBack(context, decision);
  decision.phase = Phase::kRunning;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = fmt::format("the job runs by its Workload {}", context.view.other_slice);
}

}  // namespace fedra::placement
