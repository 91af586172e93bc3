#pragma once
//
// What makes a worker's Kueue take our clone for the Workload of a copy that may not name it
// (Adoption::kOwner): first the clone gets the copy as its owner, then the copy its queue.
//
// In this order: a job in a queue without a Workload that it owns gets another one. Owner and label
// come in one write, because Kueue finishes a Workload that has the label alone (OwnerNotFound).
//
// Sources: FindMatchingWorkloads and EnsurePrebuiltWorkloadOwnership in
// pkg/controller/jobframework/reconciler.go of Kueue 0.19.2. Of the owners that an object may have
// ours does not block the copy's deletion, which would need a right to its finalizers.
//
// Pure: merge patches, bound to the UID and the version of what was seen: the second one starts the
// job.

#include <string>

#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

// Of the clone, which has no owner.
std::string OwnerPatch(const Workload& clone, const Job& copy);
// Of the copy.
std::string QueuePatch(const Job& copy, const std::string& local_queue);

}  // namespace fedra::tracking
