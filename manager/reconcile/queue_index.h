#pragma once
//
// Which workloads that have not ended are of which queue, so that what a queue says of the order of
// its jobs concerns these alone.
//
// Costs what it finds. Thread rules: any thread.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/guarded.h"
#include "base/types.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

class QueueIndex final {
 public:
  // `workload`: as it is now; null: it is gone.
  void Update(const ObjectKey& key, const tracking::Workload* workload);

  // Whose quota the ClusterQueue has reserved.
  std::vector<ObjectKey> OfClusterQueue(const std::string& name) const;
  std::vector<ObjectKey> OfLocalQueue(const ObjectKey& queue) const;
  // Whose quota is reserved by any.
  std::vector<ObjectKey> All() const;

 private:
  using Workloads = std::unordered_set<ObjectKey>;
  struct Queues {
    std::string cluster_queue;
    ObjectKey local_queue;
    bool operator==(const Queues&) const = default;
  };
  struct State {
    std::unordered_map<ObjectKey, Queues> by_workload;
    std::unordered_map<std::string, Workloads> by_cluster_queue;
    std::unordered_map<ObjectKey, Workloads> by_local_queue;
  };

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
