#pragma once
//
// A running job that a user wants on another worker (`fedra move`): when it is taken back for
// that, and where it goes then. Pure.
//
// It is taken back only when a worker can take it that moment, and then as from a worker that is
// drained: Kueue evicts it, queues it again, and it is dispatched anew.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "manager/placement/view.h"

namespace fedra::placement {

// So long a move stands that no worker can take: a job is not to be stopped by what a user wanted
// hours ago.
inline constexpr std::chrono::minutes kMoveStands{10};
// So long after it was asked for, the choice of a worker follows a move. Kueue has the job queued
// and given quota again in moments, unless others are before it.
inline constexpr std::chrono::minutes kMoveMemory{20};
// How soon it is looked again whether a worker can take the job.
inline constexpr std::chrono::seconds kMoveRecheck{30};

// What is asked of a workload that a worker has, once its time has come; null: nothing, or it is
// over. It is over after kMoveStands, and once the job is on another worker, or has begun there
// since: so it is carried out once, whatever is forgotten. Other workers are judged for it.
const tracking::MoveRequest* DueMove(const WorkloadView& view, WallTime now);
// When one becomes due that is of a time to come; nothing: there is none.
std::optional<WallTime> NextMove(const WorkloadView& view, WallTime now);

// Exactly one of the two.
struct MoveTarget {
  const ClusterView* worker = nullptr;  // can take the job now
  std::string why_not;                  // "gpu-west, which cannot take it now (...)"
};
// `clusters`: judged, but for `from`, which has the job, and restricted: where others go first, it
// is held (AsRequeued). `tenants_of`: as of verdict::Rendering,
// for tenants read why not.
MoveTarget TargetOf(const tracking::MoveRequest& move, const ClusterView& from,
                    std::span<const ClusterView> clusters, const PlacementRecord& record,
                    const Policy& policy, WallTime now, std::string_view tenants_of);

// As Kueue will show a workload that is taken back now, queued again and given quota at once. The
// lines are asked for it before it is taken back: whom they would hold is better left where it is.
WorkloadView AsRequeued(const WorkloadView& view, WallTime now);

// Of a workload that looks for a worker since it was moved: those that it is not to be dispatched
// to get a No with the reason MovedAway, as long as it can be dispatched to another. Behind the
// lines: one where it is held for jobs that wait is none; one where it is held for a moment is.
void FollowMove(const WorkloadView& view, std::span<ClusterView> clusters,
                const PlacementRecord& record, const Policy& policy, WallTime now);

}  // namespace fedra::placement
