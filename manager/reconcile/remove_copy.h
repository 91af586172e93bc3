#pragma once
//
// Removes one of our copies from a worker. The deletion is bound to the UID, so that it spares
// another object that has taken the name; and to a resourceVersion, so that it fails (kConflict) on
// an object that has changed since: another fedra may lead by now and have chosen this copy. With
// an empty version it removes the object in whatever state it is. An object that is gone, or being
// deleted, is no error.
//
// Finalizers are written as a whole list, and others may have put some there: that write is always
// bound to the version that the list was read from. kConflict: it has changed in between.
//
// Whether an object is ours is the caller's business. Thread rules: blocking calls; any thread.

#include "cluster-clients/cluster.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

// With its pods. Of a pod of a group Kueue's finalizer is taken off, too: it stays on one that was
// replaced, and on all of them once their Workload is gone (ensureOneWorkload and
// handleJobWithNoWorkload in pkg/controller/jobframework/reconciler.go of Kueue 0.19.2).
// `only_if`: the job's own version, or empty; likewise below.
Result<void> RemoveJob(Cluster& worker, const tracking::Job& job, const ResourceVersion& only_if);
// Takes Kueue's finalizer off first: no other program would.
Result<void> RemoveClone(Cluster& worker, const tracking::Workload& clone,
                         const ResourceVersion& only_if);

}  // namespace fedra::reconcile
