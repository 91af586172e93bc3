#pragma once
//
// What people read about the manager's ClusterQueues: which of them admit nothing, and what they
// say of the order of their jobs and of their share. Pure, except for the log. The part of
// ManagerCluster that listens to the queues is in manager_queues.cc, too.

#include <memory>
#include <vector>

#include "manager/tracking/shared_queue.h"
#include "manager/verify/capacity.h"

namespace fedra::reconcile {

using SharedQueues = std::vector<std::shared_ptr<const tracking::SharedQueue>>;

// Logs an annotation fedra.dev/order that is no order; otherwise nothing.
void WarnOfOrder(const tracking::SharedQueue& queue);

verify::Capacity CapacityOf(const SharedQueues& queues);

}  // namespace fedra::reconcile
