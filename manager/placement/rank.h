#pragma once
//
// Which workers may get a workload, and in which order they are preferred. Pure.

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "manager/placement/view.h"

namespace fedra::placement {

// Whether the workload may be dispatched there now: contact, allowed, and a verdict that the policy
// accepts.
bool IsEligible(const ClusterView& cluster, const Policy& policy);

// Whether its quota is in use now (ReasonCode::kQueueFull), whatever else the verdict says.
bool IsQueueFull(const verdict::Verdict& verdict);

// The eligible clusters, best first: outcome, not recently failed, quota free in its Kueue, most of
// the named claims in use there, lowest alternatives, most headroom, fewest of our clones waiting
// there, and then the order given (the configuration's, or the MultiKueueConfig's).
std::vector<const ClusterView*> Rank(std::span<const ClusterView> clusters,
                                     const PlacementRecord& record, const Policy& policy,
                                     WallTime now);

// Whether the cluster failed the workload since the running round began: it is not given it again
// in this round.
bool FailedInRound(const PlacementRecord& record, const ClusterName& cluster);

// How long a cluster that refused the workload is left alone, at most.
inline constexpr std::chrono::minutes kLongestPause{5};
// Until when it is: ten seconds after the first time, twice as long after each further one in a
// row, at most kLongestPause. Nothing: it may be asked.
std::optional<WallTime> PausedUntil(const PlacementRecord& record, const ClusterName& cluster,
                                    WallTime now);

// What this cluster failed in; null: nothing that is remembered.
const Failure* FailureOf(const PlacementRecord& record, const ClusterName& cluster);

// How long a failure makes a cluster the last choice.
inline constexpr std::chrono::minutes kFailureMemory{5};
// The failure of this cluster that still counts; null: none.
const Failure* RecentFailure(const PlacementRecord& record, const ClusterName& cluster,
                             WallTime now);

}  // namespace fedra::placement
