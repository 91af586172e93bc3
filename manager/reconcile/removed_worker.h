#pragma once
//
// Whether a worker that was removed from the configuration can be let go.
//
// Thread rules: any thread; reads the caches only.

#include <chrono>
#include <optional>

#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/manager_templates.h"
#include "manager/reconcile/worker.h"

namespace fedra::reconcile {

// Who we are there. Copies of jobs and of templates may have different origins (wiring.h).
struct Owners {
  tracking::Identity copies;
  // Nothing: copies of templates are not kept, and so not removed.
  std::optional<tracking::Identity> templates;
};

// No workload is, or is being, placed there; and nothing of ours is left there, or it has been out
// of reach for so long that its jobs count as lost. What is left on a worker out of reach is
// removed when it is configured again.
bool CanBeReleased(const Worker& worker, const ManagerJobs& jobs, const ManagerTemplates& templates,
                   const Owners& us, std::chrono::milliseconds worker_lost_timeout, WallTime now);

}  // namespace fedra::reconcile
