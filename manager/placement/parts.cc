#include "manager/placement/parts.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

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

// All that PlaceOf() reads of a Workload.
struct PlaceFacts {
  std::string worker;
  bool ends = true, reserved = false, evicted = false;
  WallTime reserved_at{};
  std::vector<std::tuple<std::string, tracking::CheckState, bool, WallTime>> checks;
  bool operator==(const PlaceFacts&) const = default;
};

PlaceFacts PlaceFactsOf(const tracking::Workload* workload) {
  if (workload == nullptr) return {};
  PlaceFacts facts{.worker = workload->cluster_name,
                   .ends = workload->deleting || workload->Finished(),
                   .reserved = workload->QuotaReserved(),
                   .evicted = workload->Evicted(),
                   .reserved_at = {},
                   .checks = {}};
  if (workload->quota_reserved) facts.reserved_at = workload->quota_reserved->since;
  for (const tracking::AdmissionCheckState& check : workload->checks)
    facts.checks.emplace_back(check.name, check.state, check.message.empty(), check.since);
  return facts;
}

}  // namespace

bool MayHaveMoved(const tracking::Workload* before, const tracking::Workload* after) {
  return PlaceFactsOf(before) != PlaceFactsOf(after);
}

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
