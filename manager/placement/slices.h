#pragma once
//
// An elastic job that grows: another Workload of it, a slice, takes the place of the one before,
// and the job's copy runs on (tracking/elastic.h). Pure.
//
// Kueue reserves quota for the new slice, gives it the clusterName of the one before and finishes
// that one, as one step of its scheduler (replaceWorkloadSlice in pkg/scheduler/scheduler.go of
// 0.19.2). From then on the copy is the new slice's, on the worker that it names; its check is
// still as Kueue has made it. What one before leaves there, its clone, stays while the copy names
// it: that worker's Kueue looks after the copy by it.

#include <string>

#include "base/types.h"
#include "manager/placement/action.h"
#include "manager/placement/context.h"

namespace fedra::placement {

// Whether the Workload is one of an elastic job's that may have the job's copy: it has quota, and
// the name of a worker.
bool MayHaveCopy(const tracking::Workload& workload);
// Whether the copy there, or the clone of the Workload that it names (null: none is there), is of
// this slice or of one before.
bool IsCopyOfChain(const tracking::Workload& slice, const tracking::Job& copy,
                   const tracking::Workload* named);

// Whether Kueue has just given it the place of the slice before, and nothing has been written
// since.
bool IsHandedOver(const WorkloadView& view, const tracking::AdmissionCheckState& check);
// The clone of one that was handed over: created, and waited for. False: it is admitted.
bool AwaitsClone(const ClusterView& worker, Decision& decision);

// Another slice has the copy: nothing is done for this one.
void DecideBesideSlice(const Context& context, Decision& decision);

}  // namespace fedra::placement
