#pragma once
//
// The manager's ClusterQueues and LocalQueues: which quota a workload asks for, and what the queues
// say of the order of their jobs and of their share. Part of ManagerCluster.
//
// Thread rules: any thread. The listener is called by the pool's threads, outside of every lock.
// Lifetime: what feeds the caches ends before it goes.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/reconcile/queue_index.h"
#include "manager/tracking/shared_queue.h"
#include "manager/tracking/workload.h"
#include "manager/verify/capacity.h"
#include "manager/verify/existence.h"

namespace fedra::reconcile {

struct ManagerQueuesListener {
  // As in ManagerListener.
  std::function<void(const std::vector<ObjectKey>& workloads)> on_order;
  std::function<void(const std::vector<ObjectKey>& workloads)> on_queue_checks;
};

class ManagerQueues final {
 public:
  explicit ManagerQueues(ManagerQueuesListener listener);

  // Null when there is none of that name, or they may not be read.
  std::shared_ptr<const tracking::SharedQueue> Find(const std::string& name) const {
    return queues_.Find({"", name});
  }
  // The ClusterQueue behind a LocalQueue; empty when it is not known.
  std::string ClusterQueueOf(const ObjectKey& local_queue) const;
  // Of a LocalQueue; nothing: it has none, or is not known.
  std::optional<double> WeightOf(const ObjectKey& local_queue) const;
  // Whether any ClusterQueue has a fair-sharing weight, or lets its LocalQueues share.
  bool SharesByWeight() const { return sharing_queues_ > 0; }
  // The ClusterQueues for people: which of them are stopped, their orders and weights. Looks at all
  // of them.
  verify::Capacity Summary() const;

  // How the workload is now; null: it is gone.
  void Update(const ObjectKey& workload, const tracking::Workload* now) {
    of_queues_.Update(workload, now);
  }

  watch::CacheSink& cluster_queue_sink() { return queues_; }
  watch::CacheSink& local_queue_sink() { return local_queues_; }

 private:
  using QueuePtr = std::shared_ptr<const tracking::SharedQueue>;
  void OnQueue(const std::string& name, const QueuePtr& before, const QueuePtr& after);
  void OnLocalQueue(const ObjectKey& key, const verify::LocalQueue* before,
                    const verify::LocalQueue* after);
  // `is_listed`: of one of the two caches, whether it was complete already.
  void OnHealth(const watch::CacheHealth& health, std::atomic<bool>& is_listed);
  bool AreListed() const { return cluster_queues_listed_ && local_queues_listed_; }

  const ManagerQueuesListener listener_;
  std::atomic<int> sharing_queues_ = 0;
  std::atomic<bool> cluster_queues_listed_ = false;
  std::atomic<bool> local_queues_listed_ = false;
  QueueIndex of_queues_;
  watch::ObjectCache<tracking::SharedQueue> queues_;
  verify::Cache<verify::LocalQueue> local_queues_;
};

}  // namespace fedra::reconcile
