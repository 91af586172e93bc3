#pragma once
//
// What is taken away of what the verdicts allow, before it is decided: workers where others in line
// go first, and those that a move has left (move.h). One step, in this order, for a move bars the
// others only while the lines let it go where it is wanted. Pure.

#include <map>
#include <span>

#include "manager/placement/contender.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// Such a worker gets a No with the reason InLine, or MovedAway. `answers`: of the lines, to the
// bids that were made of `clusters` as they are before this; empty: it stands in none.
void Restrict(const WorkloadView& view, std::span<ClusterView> clusters,
              const PlacementRecord& record, const std::map<ClusterName, LineAnswer>& answers,
              const Policy& policy, WallTime now);

}  // namespace fedra::placement
