#pragma once
//
// Which workloads that have not ended are of which queue, so that what a queue says of the order of
// its jobs, or of their AdmissionChecks, concerns these alone.
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
  // A LocalQueue is one of this ClusterQueue now, and of no other; empty: of none.
  void Point(const ObjectKey& local_queue, const std::string& cluster_queue);

  // Whose quota the ClusterQueue has reserved.
  std::vector<ObjectKey> OfClusterQueue(const std::string& name) const;
  std::vector<ObjectKey> OfLocalQueue(const ObjectKey& queue) const;
  // Whose quota is reserved by any.
  std::vector<ObjectKey> All() const;

  // About which Kueue has decided without any AdmissionCheck (Workload::IsDecidedUnchecked): those
  // in the LocalQueues that point at the ClusterQueue, in this LocalQueue, in any.
  std::vector<ObjectKey> UncheckedOfClusterQueue(const std::string& name) const;
  std::vector<ObjectKey> UncheckedIn(const ObjectKey& local_queue) const;
  std::vector<ObjectKey> Unchecked() const;

 private:
  using Keys = std::unordered_set<ObjectKey>;
  struct Queues {
    std::string cluster_queue;  // that has reserved its quota; empty: none has
    ObjectKey local_queue;
    bool is_unchecked = false;
    bool operator==(const Queues&) const = default;
    bool is_of_none() const { return cluster_queue.empty() && !is_unchecked; }
  };
  struct State {
    std::unordered_map<ObjectKey, Queues> by_workload;
    std::unordered_map<std::string, Keys> by_cluster_queue;
    std::unordered_map<ObjectKey, Keys> by_local_queue;
    std::unordered_map<ObjectKey, Keys> unchecked;  // by LocalQueue
    std::unordered_map<ObjectKey, std::string> points_at;
    std::unordered_map<std::string, Keys> local_queues;  // by ClusterQueue
  };
  static Queues QueuesOf(const ObjectKey& key, const tracking::Workload* workload);
  static void Add(const ObjectKey& key, const Queues& queues, State& state);
  static void Remove(const ObjectKey& key, const Queues& queues, State& state);

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
