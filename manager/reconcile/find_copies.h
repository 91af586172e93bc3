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
// the workload.
void FindCopies(const Worker& worker, const Gathered& gathered, const tracking::Identity& us,
                placement::ClusterView& cluster);

}  // namespace fedra::reconcile
