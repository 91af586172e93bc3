#pragma once
//
// Which workloads a change on a worker affects, so that exactly those are looked at again, without
// timers: a reverse index from what workloads need to the workloads.
//
// Costs what it finds: a change that affects no workload is one look into a table, however many
// workloads wait.
//
// Devices and workers come and go all the time, and thousands may wait for them. Those that ask for
// the same in the same place are of one class: as long as the first of them does not fit, no other
// does. So of a large class a change of devices, or of the contact with a worker, wakes the first
// ones only, and each one that goes wakes the next: as many are looked at as could fit. The
// verdicts that the others have had grow old meanwhile, and are made again one after the other
// (Overdue).
//
// Thread rules: any thread.

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
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

struct WakeSettings {
  size_t small = 16;  // members of a class that are all woken by each change
  size_t heads = 2;   // of a larger class; at least one
};

class WakeIndex final {
 public:
  explicit WakeIndex(WakeSettings settings = {}) : settings_(settings) {}

  // Before the caches are looked at: until Update() every change affects this workload, so that
  // none is missed.
  void Begin(const ObjectKey& workload);
  // What was seen and decided of it. `alone`: something that only it has decides, too, such as a
  // worker's refusal. Returns who has to be looked at now because it has left its class.
  std::vector<ObjectKey> Update(const Gathered& gathered, const placement::Decision& decision,
                                bool alone = false);

  // Workloads that look for a worker and whose requirement names the changed object; of a large
  // class, where devices have changed, its first ones.
  std::vector<ObjectKey> AffectedBy(const InputChange& change);
  // Workloads that look for a worker, and those that this worker has: it is another one.
  std::vector<ObjectKey> AffectedBy(const ClusterName& worker) const;
  // Those that this worker has, and of each class that looks for one the first ones: the contact
  // with it has changed, or what can be read there. Most of that passes in a moment: the verdicts
  // of the others grow old by it only once AgeByContact() says that it has lasted.
  std::vector<ObjectKey> AffectedByContact(const ClusterName& worker);
  void AgeByContact();
  // At most so many that no change since their last look has woken, the longest ago first; each is
  // returned once for all changes so far.
  std::vector<ObjectKey> Overdue(size_t most);

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
  // As the lines order those of one queue (placement::QueueRank).
  struct Rank {
    int urgency = 0;  // the priority, negated
    WallTime since{};
    ObjectKey workload;
    auto operator<=>(const Rank&) const = default;
  };
  // Those that are judged alike everywhere.
  struct Class {
    tracking::Demands demands, counted;  // kept: their addresses are in the name of the class
    bool wants_devices = false;
    std::set<Rank> members;
    bool is_woken_by_turns = false;  // a change has woken its first ones only
  };
  struct Entry {
    bool looking = false;           // for a worker
    std::set<Wanted> inputs;        // that its verdicts depend on, while it is looking
    std::set<ClusterName> workers;  // that have it
    std::string class_name;         // empty: it is not looking
    bool wants_devices = false;     // or may
    Rank rank;
    bool operator==(const Entry&) const = default;
  };
  struct Known {
    Entry entry;
    uint64_t looked = 0;  // State::serial of its last look
  };
  using Workloads = std::unordered_set<ObjectKey>;
  // Those in a class, by Known::looked.
  struct Turns {
    std::set<std::pair<uint64_t, ObjectKey>> by_look;
    uint64_t passed_over = 0;  // State::serial of the last change that has not woken all
    uint64_t contact = 0;      // the same, of contacts
  };
  struct State {
    std::unordered_map<ObjectKey, Known> entries;
    std::unordered_map<std::string, Class> classes;  // none without members
    uint64_t serial = 0;                             // of looks and changes
    Turns with_devices, without;                     // what they want

    Turns& TurnsOf(const Entry& entry) { return entry.wants_devices ? with_devices : without; }
    Workloads looking;
    Workloads being_looked_at;
    std::unordered_map<Wanted, Workloads, WantedHash> by_input;
    std::unordered_map<ClusterName, Workloads> by_worker;
  };

  // The name of its class, of a workload that looks for a worker.
  static std::string ClassOf(const Gathered& gathered, bool alone);
  static std::set<Wanted> InputsOf(const tracking::Workload& workload);
  static Entry EntryOf(const Gathered& gathered, const placement::Decision& decision, bool alone);
  // Returns who is first in its class now, where that has to be looked at.
  static std::vector<ObjectKey> Remove(State& state, const ObjectKey& workload, const Known& known);
  static void Insert(State& state, const tracking::Workload* workload, const ObjectKey& key,
                     Entry entry);
  // Of those that want devices, or, where a contact has changed, of all.
  void AddOfClasses(State& state, bool is_contact, Workloads& all) const;

  // Constant after construction.
  const WakeSettings settings_;

  Guarded<State> state_;
};

}  // namespace fedra::reconcile
