#pragma once
//
// A worker that failed a workload a short while ago: until when that counts, and for `why` and
// `check`, what was recorded and when it is tried again. Pure.

#include <optional>

#include "manager/placement/view.h"
#include "verdict/object_facts.h"

namespace fedra::placement {

// Whether a failure of that time does not count any more, because a person has asked since then to
// try again. A time to come counts once it has come: a clock that is ahead must not make every
// failure to come forgotten.
bool IsForgotten(WallTime failed_at, std::optional<WallTime> retry_at, WallTime now);

// Nothing: the worker has not failed the workload, or so long ago that it does not count.
std::optional<verdict::Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                          WallTime now);

}  // namespace fedra::placement
