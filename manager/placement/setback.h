#pragma once
//
// A worker that failed a workload a short while ago, for `why` and `check`: what was recorded,
// and when it is tried again. Pure.

#include <optional>

#include "manager/placement/view.h"
#include "verdict/object_facts.h"

namespace fedra::placement {

// Nothing: the worker has not failed the workload, or so long ago that it does not count.
std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now);

}  // namespace fedra::placement
