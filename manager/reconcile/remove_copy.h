#pragma once
//
// Removes copies of ours from a worker: one object each, by its UID, so that a stranger who has
// taken its name meanwhile is spared; and by its resourceVersion, so that nobody removes what has
// changed since it was looked at (kConflict): another fedra may have come to lead, and let it win.
// Without a version it is removed whatever has become of it. What is gone, or on its way, is fine.
//
// Whether an object is ours is the caller's business. Thread rules: blocking calls; any thread.

#include "cluster-clients/cluster.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

// With its pods.
Result<void> RemoveJob(Cluster& worker, const tracking::JobAdapter& adapter, const ObjectKey& key,
                       const DeleteOptions& only_if);
// Takes Kueue's finalizer off first: no other program would.
Result<void> RemoveClone(Cluster& worker, const tracking::Workload& clone);

}  // namespace fedra::reconcile
