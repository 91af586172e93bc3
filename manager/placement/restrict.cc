#include "manager/placement/restrict.h"

#include "manager/placement/bids.h"
#include "manager/placement/move.h"

namespace fedra::placement {

void Restrict(const WorkloadView& view, std::span<ClusterView> clusters,
              const PlacementRecord& record, const std::map<ClusterName, LineAnswer>& answers,
              const Policy& policy, WallTime now) {
  StandInLine(answers, clusters);
  FollowMove(view, clusters, record, policy, now);
}

}  // namespace fedra::placement
