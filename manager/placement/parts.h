#pragma once
//
// A job of several Workloads, a LeaderWorkerSet: the first of them is dispatched as any, the others
// go where it is, and the copy of the job is the first one's. Pure.
//
// Where the first one loses its worker alone, to a job that is more important, the copy stays for
// the others, which run on; it prefers that worker, and where it gets another one, they follow.
//
// Kueue's MultiKueue sends all to one worker, too, and deletes the copy with whichever Workload
// loses its worker first (reconcileGroup in pkg/controller/admissionchecks/multikueue/workload.go
// of 0.19.2).

#include "base/types.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// The worker that has this Workload; empty: none has.
ClusterName PlaceOf(const WorkloadView& view);

// Whether it follows, and nothing can be done for it: the first one has no worker.
bool WaitsForFirst(const WorkloadView& view);
// Whether it follows, and that worker is not where the first one is. False while that one has none.
bool IsAwayFromFirst(const WorkloadView& view, const ClusterName& worker);

// Whether the copy of the job on the worker is none of this Workload's business: it is the first
// one's, or others run by it there, and this one does not.
bool SparesCopy(const WorkloadView& view, const ClusterName& worker);

}  // namespace fedra::placement
