#pragma once
//
// What the store remembers of a placement, as decisions look at it. Pure.

#include <vector>

#include "manager/placement/view.h"
#include "store/rows.h"

namespace fedra::placement {

// A reason that this version does not know counts as RecentlyFailed.
std::vector<Failure> FailuresOf(const std::vector<store::PlacementFailure>& remembered);

}  // namespace fedra::placement
