#pragma once
//
// What of a workload is on a worker, whose it is, and what is in its way there.
//
// Thread rules: any thread. Reads the worker's caches.

#include "manager/placement/view.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/worker.h"
#include "manager/tracking/ownership.h"

namespace fedra::reconcile {

// Sets of `cluster` its name, the copies and whose they are. `gathered`: what the manager shows of
// the workload. `jobs`: of the manager, for the Workloads of an elastic job, which have one copy.
void FindCopies(const Worker& worker, const Gathered& gathered, const tracking::Identity& us,
                const ManagerJobs& jobs, placement::ClusterView& cluster);

}  // namespace fedra::reconcile
