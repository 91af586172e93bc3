#pragma once
//
// What one look at a waiting workload tells the lines (lines.h), and what they answer. Pure.

#include <map>
#include <optional>
#include <set>
#include <span>

#include "manager/placement/action.h"
#include "manager/placement/lines.h"
#include "manager/placement/view.h"
#include "manager/tracking/shared_queue.h"

namespace fedra::placement {

// Absent: it is in no line. Something else than a worker is missing (WhyNotYet), or its pods
// want no devices.
//
// What lost its worker keeps its place, which counts from its creation. Kueue itself
// orders a queue so, but for those whose pods were not ready in time or whose AdmissionChecks asked
// for a retry, which start again there (GetQueueOrderTimestamp in pkg/workload of Kueue 0.19); a
// Workload with quota does not show why it was evicted last.
//
// `queue`: its ClusterQueue; null: it is not known. `by_weight`: queues share devices by weight.
// `local_weight`: of its LocalQueue; nothing: it has none.
std::optional<Contender> MakeContender(const WorkloadView& view, const OrderSettings& settings,
                                       const tracking::SharedQueue* queue, bool by_weight,
                                       std::optional<double> local_weight = std::nullopt);

// It was dispatched, no worker has admitted it, and the time for that (Policy::admission_timeout)
// is over: it waits for other workers as if it had not been dispatched (Contender::overdue).
bool IsRoundOver(const WorkloadView& view, std::span<const ClusterView> clusters,
                 const PlacementRecord& record, const Policy& policy, WallTime now);

// What it would take of each worker that it was not dispatched to already, wherever it was moved
// (Restrict): should it not get there, it may go back. Nothing where it is not
// overdue and the choice would add no worker to those. `as_of`: per worker, Bid::as_of of these
// verdicts.
Bids BidsOf(const WorkloadView& view, std::span<const ClusterView> clusters,
            const PlacementRecord& record, const Policy& policy,
            const std::map<ClusterName, uint64_t>& as_of, WallTime now);

// The workers that the decision adds to those that it was dispatched to before.
std::set<ClusterName> NewlyDispatched(const WorkloadView& view, const Decision& decision);

// A worker where others go first gets a No with the reason InLine.
void StandInLine(const std::map<ClusterName, LineAnswer>& answers, std::span<ClusterView> clusters);

}  // namespace fedra::placement
