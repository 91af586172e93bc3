#pragma once
//
// A job of several Workloads, a LeaderWorkerSet: all of them go to one worker, and the copy of the
// job there is the first one's. Pure.
//
// While none of them has a worker the first one is dispatched as any, and the others wait for it.
// Whichever loses its worker alone, to a job that is more important, goes back to the others, which
// run on: none of them is worth more than another, and a move would stop all. So the copy stays
// while others run by it, also when the first one, whose copy it is, does not. Where the first one
// gets another worker all the same, because a user moves it or because theirs may not be used any
// more, they follow.
//
// Kueue's MultiKueue dispatches all to one worker, too, the first one to the others included, and
// deletes the copy with whichever Workload loses its worker (getComponentWorkloadsClusterName and
// reconcileGroup in pkg/controller/admissionchecks/multikueue/workload.go of 0.19.2).

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// The worker that has this Workload; empty: none has.
ClusterName PlaceOf(const WorkloadView& view);
// Whether PlaceOf() may say something else of a Workload that has changed, whatever its check is.
// Null: it is not there.
bool MayHaveMoved(const tracking::Workload* before, const tracking::Workload* after);

// Whether it follows, and nothing can be done for it: the first one has no worker.
bool WaitsForFirst(const WorkloadView& view);
// Where it has to go to be with the others: where the first one is, and the first one, while it has
// no worker and is not being moved, where most of them are. Empty: anywhere.
ClusterName PlaceOfOthers(const WorkloadView& view, WallTime now);

// Whether the copy of the job on the worker, of this ownership, is none of this Workload's
// business: it is the first one's, or others run by it there, and this one does not. An earlier
// incarnation's copy is never spared: no Workload of today can own it.
bool SparesCopy(const WorkloadView& view, const ClusterName& worker, tracking::Ownership copy_is);

// Whether its pods may run on the worker although `cluster.job` is null. Others run by the job's
// copy there, which has pods of this one, too, and the worker's Kueue lets these start when it
// admits the clone: before the manager says where the workload is.
bool RunsByTheirCopy(const WorkloadView& view, const ClusterView& cluster);

}  // namespace fedra::placement
