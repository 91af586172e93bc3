#pragma once
//
// Which workloads a change on a worker affects, so that exactly those are looked at again, without
// timers: a reverse index from what workloads need to the workloads.
//
// Costs what it finds: a change that affects no workload is one look into a table, however many
// workloads wait.
//
// Thread rules: any thread.

#include <chrono>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/guarded.h"
#include "manager/placement/action.h"
#include "manager/reconcile/gather.h"

namespace fedra::reconcile {

// Pods and claims change in bursts, and each change may affect every waiting workload: one look for
// all of a moment's changes.
inline constexpr std::chrono::milliseconds kDeviceDebounce{20};

class WakeIndex final {
 public:
  // Before the caches are looked at: until Update() every change affects this workload, so that
  // none is missed.
  void Begin(const ObjectKey& workload);
  // What was seen and decided of it.
  void Update(const Gathered& gathered, const placement::Decision& decision);

  // Workloads that look for a worker and whose requirement names the changed object.
  std::vector<ObjectKey> AffectedBy(const InputChange& change) const;
  // Workloads that look for a worker, and those that this worker has.
  std::vector<ObjectKey> AffectedBy(const ClusterName& worker) const;

 private:
  // An object that verdicts depend on. Kinds of which every change counts have an empty key.
  struct Wanted {
    InputChange::Kind kind = InputChange::Kind::kClass;
    ObjectKey key;
    auto operator<=>(const Wanted&) const = default;
  };
  struct WantedHash {
    size_t operator()(const Wanted& input) const noexcept {
      return std::hash<ObjectKey>()(input.key) * 31 + static_cast<size_t>(input.kind);
    }
  };
  struct Entry {
    bool looking = false;           // for a worker
    std::set<Wanted> inputs;        // that its verdicts depend on, while it is looking
    std::set<ClusterName> workers;  // that have it
    bool operator==(const Entry&) const = default;
  };
  using Workloads = std::unordered_set<ObjectKey>;
  struct State {
    std::unordered_map<ObjectKey, Entry> entries;
    Workloads looking;
    Workloads being_looked_at;
    std::unordered_map<Wanted, Workloads, WantedHash> by_input;
    std::unordered_map<ClusterName, Workloads> by_worker;
  };

  static std::set<Wanted> InputsOf(const tracking::Workload& workload);
  static void Remove(State& state, const ObjectKey& workload, const Entry& entry);
  static void Insert(State& state, const ObjectKey& workload, Entry entry);

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
