#include "manager/placement/parts.h"

#include <algorithm>

#include "manager/placement/check_report.h"
#include "manager/placement/move.h"
#include "manager/placement/select_workers.h"

namespace fedra::placement {
namespace {

// Where Kueue copies it sees to all of this.
bool Follows(const WorkloadView& view) {
  return !view.kueue_copies && view.workload != nullptr && view.workload->follows;
}

// Whether it was asked to go elsewhere, not long ago (FollowMove).
bool IsBeingMoved(const tracking::Workload& workload, WallTime now) {
  const tracking::MoveRequest* move = workload.Move();
  return move != nullptr && move->at <= now && now < move->at + kMoveMemory;
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

ClusterName PlaceOfOthers(const WorkloadView& view, WallTime now) {
  if (Follows(view)) return view.first_on;
  if (view.kueue_copies || view.workload == nullptr || view.siblings.empty()) return {};
  if (!PlaceOf(view).value.empty() || IsBeingMoved(*view.workload, now)) return {};
  return std::ranges::max_element(view.siblings, {}, [](const auto& each) { return each.second; })
      ->first;
}

bool SparesCopy(const WorkloadView& view, const ClusterName& worker, tracking::Ownership copy_is) {
  if (Follows(view)) return true;
  const tracking::Workload* workload = view.workload.get();
  if (view.kueue_copies || workload == nullptr || workload->deleting || workload->Finished())
    return false;
  return copy_is == tracking::Ownership::kOurs && view.siblings.contains(worker) &&
         PlaceOf(view) != worker;
}

// The copy itself is not looked for: its list may be late, and what runs must not be taken back for
// that.
bool RunsByTheirCopy(const WorkloadView& view, const ClusterView& cluster) {
  return view.siblings.contains(cluster.name) && HasAdmitted(cluster) && !cluster.clone->Evicted();
}

}  // namespace fedra::placement
