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

// Which slice sees to the copy on this worker, whichever it names: that one alone keeps it as the
// job wants it, mirrors it, and takes it away. It is the last one
//   1. that has quota, and its place there;
//   2. else that has quota, and looks for a place: it clears the way for itself;
//   3. else that has had quota: it takes away what it has left, or one before. Not if it was
//      replaced: then the next one has the place, which is only not seen yet;
//   4. else of all.
// Null: none does, for now. `slices`: of the copy's chain, at least one.
std::shared_ptr<const tracking::Workload> SeesToCopy(const Slices& slices,
                                                     const ClusterName& worker);
// Whether SeesToCopy() may answer otherwise for the change of this slice. Null: it is not there.
bool ConcernsOthers(const tracking::Workload* before, const tracking::Workload* after);
// The chain (tracking::Slice) of the copy, as the slices say, or the clone of the Workload that it
// names (null: none is there). Empty: it is not known.
std::string ChainOf(const tracking::Job& copy, const Slices& slices,
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
