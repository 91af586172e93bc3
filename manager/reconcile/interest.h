#pragma once
//
// Which workloads a change on a worker concerns, so that exactly those are looked at again, without
// timers.
//
// Thread rules: any thread.

#include <chrono>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/guarded.h"
#include "manager/placement/action.h"
#include "manager/reconcile/gather.h"

namespace fedra::reconcile {

// Pods and claims change in bursts, and each change may concern every waiting workload: one look
// for all of a moment's changes.
inline constexpr std::chrono::milliseconds kDevicesSettle{20};

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
  struct Entry {
    std::shared_ptr<const tracking::Workload> workload;
    bool looking = false;  // for a worker
    ClusterName worker;    // that has it
  };

  struct State {
    std::unordered_map<ObjectKey, Entry> entries;
    std::unordered_set<ObjectKey> being_looked_at;
  };

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
