#include "manager/placement/parts.h"

#include "manager/placement/check_report.h"

namespace fedra::placement {
namespace {

// Where Kueue copies it sees to all of this.
bool Follows(const WorkloadView& view) {
  return !view.kueue_copies && view.workload != nullptr && view.workload->follows;
}

}  // namespace

ClusterName PlaceOf(const WorkloadView& view) {
  const tracking::Workload* workload = view.workload.get();
  if (workload == nullptr || workload->deleting || workload->Finished() || workload->Evicted() ||
      !workload->QuotaReserved())
    return {};
  const tracking::AdmissionCheckState* check = workload->Check(view.check);
  const bool placed = check != nullptr && IsPlaced(view, *check);
  return placed ? ClusterName(workload->cluster_name) : ClusterName();
}

bool WaitsForFirst(const WorkloadView& view) {
  return Follows(view) && view.first_on.value.empty();
}

bool IsAwayFromFirst(const WorkloadView& view, const ClusterName& worker) {
  return Follows(view) && !view.first_on.value.empty() && view.first_on != worker;
}

bool SparesCopy(const WorkloadView& view, const ClusterName& worker) {
  if (Follows(view)) return true;
  const tracking::Workload* workload = view.workload.get();
  if (view.kueue_copies || workload == nullptr || workload->deleting || workload->Finished())
    return false;
  return view.siblings.contains(worker) && PlaceOf(view) != worker;
}

}  // namespace fedra::placement
