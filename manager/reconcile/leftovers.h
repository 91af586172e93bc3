#pragma once
//
// What of the workers is not as the manager has it, counted for metrics: copies that outlive their
// Workload, and templates that differ.
//
// Thread rules: any thread. Reads the caches only, all of them: it costs some milliseconds for
// 10,000 copies.

#include "base/types.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/manager_templates.h"
#include "manager/reconcile/worker.h"
#include "manager/tracking/ownership.h"

namespace fedra::reconcile {

// Clones of ours that stand for no Workload of the manager any more: it is gone, or there is
// another one of its name. As the worker was when it was last in contact. `us`: complete
// (ManagerIdentity).
int CountOrphans(const Worker& worker, const ManagerJobs& jobs, const tracking::Identity& us);

// ResourceClaimTemplates that the worker and the manager have, with different specs.
int CountDrift(const Worker& worker, const ManagerTemplates& originals);

}  // namespace fedra::reconcile
