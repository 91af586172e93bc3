#pragma once
//
// Whether a workload that was dispatched stays with the workers it was dispatched to, so that no
// other one need be looked at: the choice keeps what is nominated and still possible until the
// round's time is over. Pure.

#include <set>
#include <span>

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// The workers of the running round, where no other one is chosen as long as MayStay(). Empty: what
// is decided may depend on the other workers.
std::set<ClusterName> StaysWith(const WorkloadView& view, const PlacementRecord& record,
                                const Policy& policy, WallTime now);

// Whether each of those may still have it. `clusters`: what is known of them, judged.
bool MayStay(const std::set<ClusterName>& workers, const WorkloadView& view,
             std::span<const ClusterView> clusters, const PlacementRecord& record,
             const Policy& policy, WallTime now);

}  // namespace fedra::placement
