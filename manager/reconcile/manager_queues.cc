#include "manager/reconcile/manager_queues.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "manager/placement/lines.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::reconcile {
namespace {

using SharedQueues = std::vector<std::shared_ptr<const tracking::SharedQueue>>;

// What it says of the order of its jobs; a queue that is not there says nothing.
struct Says {
  std::string order;
  std::optional<double> weight;
  bool local_queues_share = false;

  bool Shares() const { return weight || local_queues_share; }
  bool operator==(const Says&) const = default;
};

Says SaysOf(const tracking::SharedQueue* queue) {
  if (queue == nullptr) return {};
  return {queue->order, queue->weight, queue->local_queues_share};
}

// Those that say something, by name; enough to name what is wrong.
std::vector<verify::QueueOrder> OrdersOf(const SharedQueues& queues) {
  constexpr size_t kMaxOrders = 16;
  std::vector<verify::QueueOrder> orders;
  for (const auto& queue : queues) {
    if (!queue->order.empty())
      orders.push_back(
          {queue->name, queue->order, placement::ParseOrderPolicy(queue->order).has_value()});
  }
  // Those that are ignored first: they are to be mended.
  std::ranges::sort(orders, {}, [](const verify::QueueOrder& order) {
    return std::tie(order.is_valid, order.cluster_queue);
  });
  if (orders.size() > kMaxOrders) orders.resize(kMaxOrders);
  return orders;
}

// Of those that have one, by name.
std::vector<verify::QueueWeight> WeightsOf(const SharedQueues& queues) {
  std::vector<verify::QueueWeight> weights;
  for (const auto& queue : queues)
    if (queue->weight) weights.push_back({queue->name, *queue->weight});
  std::ranges::sort(weights, {}, &verify::QueueWeight::cluster_queue);
  if (weights.size() > verify::kMaxWeights) weights.resize(verify::kMaxWeights);
  return weights;
}

// An annotation fedra.dev/order that is no order.
void WarnOfOrder(const tracking::SharedQueue& queue) {
  if (queue.order.empty() || placement::ParseOrderPolicy(queue.order)) return;
  log::Warn("annotation of a ClusterQueue is ignored: it must be Strict, Backfill or BestEffort",
            {{"clusterqueue", queue.name},
             {"annotation", std::string(tracking::kOrderAnnotation)},
             {"value", queue.order}});
}

}  // namespace

ManagerQueues::ManagerQueues(ManagerQueuesListener listener)
    : listener_(std::move(listener)),
      queues_(
          &tracking::ParseSharedQueue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            OnQueue(key.name, before, after);
          },
          [this](const watch::CacheHealth& health) { OnHealth(health, cluster_queues_listed_); }),
      local_queues_(
          &verify::ParseLocalQueue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            OnLocalQueue(key, before.get(), after.get());
          },
          [this](const watch::CacheHealth& health) { OnHealth(health, local_queues_listed_); }) {}

// While they are listed for the first time each of them would be news.
void ManagerQueues::OnHealth(const watch::CacheHealth& health, std::atomic<bool>& is_listed) {
  if (!health.complete || is_listed.exchange(true) || !AreListed()) return;
  listener_.on_queue_checks(of_queues_.Unchecked());
}

std::string ManagerQueues::ClusterQueueOf(const ObjectKey& local_queue) const {
  const auto found = local_queues_.Find(local_queue);
  return found == nullptr ? std::string() : found->cluster_queue;
}

std::optional<double> ManagerQueues::WeightOf(const ObjectKey& local_queue) const {
  const auto found = local_queues_.Find(local_queue);
  return found == nullptr ? std::nullopt : found->weight;
}

// Kueue touches their statuses all the time: whether they are active is no news to the lines. The
// first and the last queue that shares has all queues share, or none.
void ManagerQueues::OnQueue(const std::string& name, const QueuePtr& before,
                            const QueuePtr& after) {
  const auto checks = [](const QueuePtr& queue) {
    return queue == nullptr ? std::vector<std::string>() : queue->checks;
  };
  if (AreListed() && checks(before) != checks(after))
    listener_.on_queue_checks(of_queues_.UncheckedOfClusterQueue(name));
  const Says was = SaysOf(before.get());
  const Says now = SaysOf(after.get());
  if (was == now) return;
  if (after != nullptr) WarnOfOrder(*after);
  const bool shared = SharesByWeight();
  sharing_queues_ += (now.Shares() ? 1 : 0) - (was.Shares() ? 1 : 0);
  listener_.on_order(shared == SharesByWeight() ? of_queues_.OfClusterQueue(name)
                                                : of_queues_.All());
}

void ManagerQueues::OnLocalQueue(const ObjectKey& key, const verify::LocalQueue* before,
                                 const verify::LocalQueue* after) {
  static const verify::LocalQueue none;
  const verify::LocalQueue& was = before == nullptr ? none : *before;
  const verify::LocalQueue& now = after == nullptr ? none : *after;
  if (was.cluster_queue != now.cluster_queue) {
    of_queues_.Point(key, now.cluster_queue);
    if (AreListed()) listener_.on_queue_checks(of_queues_.UncheckedIn(key));
  }
  if (was.weight != now.weight) listener_.on_order(of_queues_.OfLocalQueue(key));
}

verify::Capacity ManagerQueues::Summary() const {
  const SharedQueues queues = queues_.List();
  std::vector<verify::StoppedQueue> stopped;
  for (const auto& queue : queues) {
    if (!queue->why_inactive.empty())
      stopped.push_back({.name = "ClusterQueue " + queue->name,
                         .cluster_queue = queue->name,
                         .why = queue->why_inactive});
  }
  verify::Capacity capacity = verify::QueuesOf(queues.size(), std::move(stopped));
  capacity.orders = OrdersOf(queues);
  capacity.weights = WeightsOf(queues);
  return capacity;
}

}  // namespace fedra::reconcile
