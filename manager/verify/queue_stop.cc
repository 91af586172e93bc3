#include "manager/verify/queue_stop.h"

#include <utility>

namespace fedra::verify {

std::optional<verdict::QueueStopped> StopOf(
    const LocalQueue& queue, const watch::ObjectCache<ClusterQueue>& cluster_queues) {
  verdict::QueueStopped stopped;
  const auto add = [&](std::string name, StopPolicy stop) {
    if (stop != StopPolicy::kNone)
      stopped.stops.push_back({std::move(name), stop == StopPolicy::kHoldAndDrain});
  };
  if (const auto cluster_queue = cluster_queues.Find({"", queue.cluster_queue}))
    add("ClusterQueue " + queue.cluster_queue, cluster_queue->stop);
  add("LocalQueue " + queue.key.ToString(), queue.stop);
  return stopped.stops.empty() ? std::nullopt : std::optional(std::move(stopped));
}

}  // namespace fedra::verify
