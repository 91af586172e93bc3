#pragma once
//
// Which workloads a change on a worker concerns, so that exactly those are looked at again, without
// timers.
//
// Thread rules: any thread.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "manager/placement/action.h"
#include "manager/reconcile/gather.h"

namespace fedra::reconcile {

class Interest final {
 public:
  // Before the caches are looked at: until Update() every change concerns this workload, so that
  // none is missed.
  void Begin(const ObjectKey& workload);
  // What was seen and decided of it.
  void Update(const Picture& picture, const placement::Decision& decision);

  // Workloads that look for a worker and whose requirement names the changed object.
  std::vector<ObjectKey> In(const InputChange& change) const;
  // Workloads that look for a worker, and those that this worker has.
  std::vector<ObjectKey> InContact(const ClusterName& worker) const;

 private:
  // What a workload can be concerned by: objects by their keys; of classes and devices any one,
  // with an empty key.
  using Topic = std::pair<InputChange::Kind, ObjectKey>;
  using Keys = std::set<ObjectKey>;

  struct Entry {
    std::shared_ptr<const tracking::Workload> workload;
    bool looking = false;  // for a worker
    ClusterName worker;    // that has it
  };
  struct State {
    std::unordered_map<ObjectKey, Entry> entries;
    std::unordered_set<ObjectKey> being_looked_at;
    // The same, by what asks for it. Of workloads that look for a worker:
    std::map<Topic, Keys> by_topic;
    Keys looking;
    // Of all: by the worker that has it, and by the one in clusterName.
    std::map<std::string, Keys> by_worker;
  };

  static std::vector<Topic> TopicsOf(const tracking::Workload& workload);
  static void Add(State& state, const ObjectKey& key, const Entry& entry);
  static void Remove(State& state, const ObjectKey& key);

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
