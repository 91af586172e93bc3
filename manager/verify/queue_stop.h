#pragma once
//
// Who has stopped a worker's LocalQueue, by which stopPolicy: for verdicts and for `fedra status`.

#include <optional>
#include <string>

#include "cluster-clients/watch/object_cache.h"
#include "manager/verify/objects.h"

namespace fedra::verify {

struct QueueStop {
  std::string object;  // "ClusterQueue gpu"; where only the LocalQueue is stopped, that one
  std::string text;    // "ClusterQueue gpu is stopped (stopPolicy Hold)"
};

// Nothing: neither the queue nor its ClusterQueue is stopped, as far as is known.
std::optional<QueueStop> StopOf(const LocalQueue& queue,
                                const watch::ObjectCache<ClusterQueue>& cluster_queues);

}  // namespace fedra::verify
