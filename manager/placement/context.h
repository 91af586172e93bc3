#pragma once
//
// Internal to placement/: what every stage looks at, and the questions that several of them ask
// about it. Pure.

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/placement/view.h"

namespace fedra::placement {

// How soon it is looked again while a worker is resyncing.
inline constexpr std::chrono::seconds kSyncingRecheck{10};

// Lives for one Decide() call.
struct Context {
  const WorkloadView& view;
  std::span<const ClusterView> clusters;
  const PlacementRecord& record;
  const Policy& policy;
  WallTime now;

  const tracking::Workload& workload() const { return *view.workload; }
  // Null when no cluster of this name is configured.
  const ClusterView* Find(std::string_view name) const;
};

bool Contains(const std::vector<ClusterName>& names, const ClusterName& name);

// The worker whose finished job, or an ended part of a job of several objects, has not been
// mirrored to the manager: the one in clusterName, or, without one, a nominated one whose job
// finished before clusterName was written. A job that was taken back from its worker and finished
// there all the same does not count: it may have changed since. An end that was seen counts,
// reachable or not. Null: none.
const ClusterView* UnmirroredEnd(const Context& context);
// Whether the worker's Kueue finished the clone because the job there ended.
bool EndedAsItsJob(const tracking::Condition& finished);

// Why this job can never be dispatched as it is; empty when it can.
std::string NotDispatchable(const WorkloadView& view);

// Whether it has been out of reach, or could not be listed, for longer than the policy waits.
bool IsLost(const Context& context, const ClusterView& cluster);
// Whether nothing can be deleted there now: what is ours is remembered, for when it is back.
bool IsOutOfReach(const Context& context, const ClusterView& cluster);

}  // namespace fedra::placement
