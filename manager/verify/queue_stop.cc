#include "manager/verify/queue_stop.h"

#include <fmt/format.h>

namespace fedra::verify {
namespace {

std::string StoppedText(const std::string& queue, StopPolicy stop) {
  return stop == StopPolicy::kHold
             ? fmt::format("{} is stopped (stopPolicy Hold)", queue)
             : fmt::format("{} is being drained (stopPolicy HoldAndDrain)", queue);
}

}  // namespace

std::optional<QueueStop> StopOf(const LocalQueue& queue,
                                const watch::ObjectCache<ClusterQueue>& cluster_queues) {
  const std::string local = "LocalQueue " + queue.key.ToString();
  const auto cluster_queue = cluster_queues.Find({"", queue.cluster_queue});
  if (cluster_queue == nullptr || cluster_queue->stop == StopPolicy::kNone) {
    if (queue.stop == StopPolicy::kNone) return std::nullopt;
    return QueueStop{local, StoppedText(local, queue.stop)};
  }
  QueueStop stop{.object = "ClusterQueue " + queue.cluster_queue, .text = {}};
  stop.text = StoppedText(stop.object, cluster_queue->stop);
  if (queue.stop != StopPolicy::kNone) stop.text += "; " + StoppedText(local, queue.stop);
  return stop;
}

}  // namespace fedra::verify
