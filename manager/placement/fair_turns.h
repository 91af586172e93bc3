#pragma once
//
// Turns of workloads whose queues share devices by weight: one virtual clock (turn_clock.h) for the
// ClusterQueues of each priority, and one for the LocalQueues of each of these that share its
// turns.
//
// Within a queue, or a LocalQueue where these share, turns follow the time since when its workloads
// wait. With n queues of weights w1, ..., wn a workload of unit cost, p-th in queue i, waits for at
// most p * wj / wi + 1 workloads of any other queue j.
//
// Many may come and go before turns are asked for (Refresh): that takes one pass then, and gives
// the turns that asking after each of them would have given.
//
// Thread rules: none of its own; one user at a time.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/turn_clock.h"

namespace fedra::placement {

// What a workload's LocalQueue has of the turns of its ClusterQueue.
struct LocalShare {
  std::string queue;  // "namespace/name"
  double weight = 1;  // spec.fairSharing.weight; 0 counts as very little

  bool operator==(const LocalShare&) const = default;
};

// What a workload's ClusterQueue has of the devices that it shares with others.
struct Share {
  std::string queue;
  double weight = 1;  // spec.fairSharing.weight; 0 counts as very little
  double cost = 1;    // its pods
  // Absent: within the ClusterQueue time alone decides.
  std::optional<LocalShare> local = std::nullopt;

  bool operator==(const Share&) const = default;
};

class FairTurns final {
 public:
  // One that is not there.
  void Add(int priority, WallTime since, const ObjectKey& workload, const Share& share);
  // It does not wait any more, and was not dispatched.
  void Leave(const ObjectKey& workload);
  // It was dispatched, and its queue pays for it.
  void Serve(const ObjectKey& workload);

  // The turns that are new or other ones since the last call. Of one workload the last one counts.
  Turns Refresh();
  bool IsUpToDate() const { return stale_.empty() && changed_.empty(); }

 private:
  struct Level {
    TurnClock queues;
    std::map<std::string, TurnClock> locals;  // by ClusterQueue
    std::set<std::string> stale;              // of these
  };
  using Levels = std::map<int, Level>;
  // One that waits.
  struct Member {
    int priority = 0;
    WallTime since{};
    Share share;
    // In its LocalQueue; 0: these do not share; infinity: not known yet.
    double local_turn = 0;
  };

  static TurnClock::Key KeyOf(const ObjectKey& workload, const Member& member);
  void Take(const ObjectKey& workload, bool served);
  void RefreshLocals(Level& level, const std::string& queue);
  // All turns, into changed_.
  void RefreshAll();

  Levels levels_;  // by priority
  std::unordered_map<ObjectKey, Member> members_;
  std::set<int> stale_;  // levels
  Turns changed_;        // since the last Refresh
};

}  // namespace fedra::placement
