#pragma once
//
// An elastic job that grows: another Workload of it, a slice, takes the place of the one before,
// and the job's copy runs on (tracking/elastic.h). Pure.
//
// Kueue reserves quota for the new slice, gives it the clusterName of the one before and finishes
// that one, as one step of its scheduler (replaceWorkloadSlice in pkg/scheduler/scheduler.go of
// 0.19.2). From then on the copy is the new slice's, on the worker that it names; its check is
// still as Kueue has made it. The clone of the one before stays while that worker's Kueue looks
// after the copy by it (ClusterView::runs_by): until the new slice's own clone is admitted, that
// clone says how the job is doing, and ends its run as it always would.

#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/placement/action.h"
#include "manager/placement/context.h"

namespace fedra::placement {

// Workloads of an elastic job on the manager, in no order.
using Slices = std::vector<std::shared_ptr<const tracking::Workload>>;

// Whether the Workload is one of an elastic job's that may have the job's copy: it has quota, and
// the name of a worker.
bool MayHaveCopy(const tracking::Workload& workload);
// The one that has it: the last of those that replace each other, and of several the youngest.
// Null: none has.
std::shared_ptr<const tracking::Workload> SliceWithCopy(const Slices& slices);
// Whether it waits for its first quota. Then it has nothing on any worker.
bool HasNoPlaceYet(const tracking::Workload& workload);
// Whether the copy there, or the clone of the Workload that it names (null: none is there), is of
// this slice or of one before.
bool IsCopyOfChain(const tracking::Workload& slice, const tracking::Job& copy,
                   const tracking::Workload* named);
// Whether another slice took its place. That is no end of the job.
bool WasReplaced(const tracking::Workload& workload);

// Whether Kueue has just given it the place of the slice before, and nothing has been written
// since.
bool IsHandedOver(const WorkloadView& view, const tracking::AdmissionCheckState& check);
// Whether the clone of one that was handed over is still to be made or admitted there.
bool AwaitsClone(const ClusterView& worker);
// The worker as it shows the job meanwhile: by the clone of a slice before.
ClusterView AsBefore(const ClusterView& worker);
// What is done for it meanwhile: its clone is made, and kept as the Workload wants it.
void WaitToGrow(const Context& context, const ClusterView& worker, Decision& decision);

// Whether the Workload is a slice of a job that has ended, as the manager shows it. Kueue finishes
// one slice for that, which may be another one that waits for quota, and looks at none that is not
// of the job's size (EnsureWorkloadSlices in pkg/workloadslicing of 0.19.2).
bool EndsWithJob(const WorkloadView& view);
// `worker`: null when it is not configured.
void FinishSlice(const Context& context, const ClusterView* worker, Decision& decision);

// Another slice has the copy: nothing is done for this one.
void DecideBesideSlice(const Context& context, Decision& decision);

}  // namespace fedra::placement
