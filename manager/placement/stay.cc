#include "manager/placement/stay.h"

#include <algorithm>

#include "manager/placement/assumption.h"
#include "manager/placement/context.h"
#include "manager/placement/rank.h"
#include "manager/placement/select_workers.h"

namespace fedra::placement {
namespace {

// A race asks all that are eligible, a claim by name goes where others use it, and a move bars
// workers.
bool DependsOnOthers(const WorkloadView& view, const Policy& policy) {
  const tracking::Workload& workload = *view.workload;
  return policy.kind == DispatchPolicy::kRace || workload.Move() != nullptr ||
         !workload.requirement.ClaimNames().empty();
}

}  // namespace

std::set<ClusterName> StaysWith(const WorkloadView& view, const PlacementRecord& record,
                                const Policy& policy, WallTime now) {
  // What Kueue copies goes wherever Kueue says.
  if (view.workload == nullptr || view.kueue_copies || !view.workload->cluster_name.empty() ||
      DependsOnOthers(view, policy))
    return {};
  const auto end = RoundEnd(record, policy);
  if (!end || now >= *end) return {};
  std::set<ClusterName> workers;
  for (const std::string& name : view.workload->nominated) {
    if (!IsDispatchedTo(view, ClusterName(name))) return {};
    workers.emplace(name);
  }
  return workers.size() < MostAtOnce(policy) ? std::set<ClusterName>() : workers;
}

bool MayStay(const std::set<ClusterName>& workers, const WorkloadView& view,
             std::span<const ClusterView> clusters, const PlacementRecord& record,
             const Policy& policy, WallTime now) {
  const Context context{view, clusters, record, policy, now};
  return std::ranges::all_of(workers, [&](const ClusterName& name) {
    const ClusterView* cluster = context.Find(name.value);
    return cluster != nullptr && IsEligible(*cluster, policy) && !FailedInRound(record, name) &&
           !IsOverdue(context, *cluster);
  });
}

}  // namespace fedra::placement
