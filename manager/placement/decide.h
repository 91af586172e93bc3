#pragma once
//
// What to do with one workload now. The heart of fedra, and pure: no I/O, no clock, no locks, no
// logging.
//
// Level-based: the answer depends on the state given, never on what happened before or which event
// woke us; what must be remembered is in the record. Carrying out the actions and asking again
// converges. tests/unit/manager/placement drives it through random histories and checks the
// invariants of docs/architecture.md.

#include <chrono>
#include <span>

#include "manager/placement/action.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// A worker is chosen once the copies of the previous admission are gone, which takes moments. Where
// it takes longer, because a worker refuses to delete them, others in line need not wait for that.
inline constexpr std::chrono::seconds kLongestCleanUp{10};
// How long a worker may be out of contact before that is reported as a reason.
inline constexpr std::chrono::seconds kFlap{30};

Decision Decide(const WorkloadView& view, std::span<const ClusterView> clusters,
                const PlacementRecord& record, const Policy& policy, WallTime now);

}  // namespace fedra::placement
