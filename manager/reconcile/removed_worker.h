#pragma once
//
// Whether a worker that was removed from the configuration can be let go.
//
// Thread rules: any thread; reads the caches only.

#include <chrono>

#include "manager/reconcile/manager_cluster.h"
#include "manager/reconcile/worker.h"

namespace fedra::reconcile {

// No workload is, or is being, placed there; and nothing of ours is left there, or it has been out
// of reach for so long that its jobs count as lost. What is left on a worker out of reach is
// removed when it is configured again.
// `with_templates`: whether copies of templates are kept (and so removed), too.
bool CanBeReleased(const Worker& worker, const ManagerCluster& manager, bool with_templates,
                   const tracking::Identity& us, std::chrono::milliseconds worker_lost_timeout,
                   WallTime now);

}  // namespace fedra::reconcile
