#pragma once
//
// Who has stopped a worker's LocalQueue, by which stopPolicy: for verdicts and for `fedra status`.

#include <optional>
#include <string>

#include "cluster-clients/watch/object_cache.h"
#include "manager/verify/objects.h"
#include "verdict/object_facts.h"

namespace fedra::verify {

// The ClusterQueue first, where both are stopped. Nothing: neither the queue nor its ClusterQueue
// is stopped, as far as is known.
std::optional<verdict::QueueStopped> StopOf(const LocalQueue& queue,
                                            const watch::ObjectCache<ClusterQueue>& cluster_queues);

}  // namespace fedra::verify
