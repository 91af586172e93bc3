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
// Thread rules: none of its own; one user at a time.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

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
  // Its own turn, and those that are other ones because of it.
  Turns Add(int priority, WallTime since, const ObjectKey& workload, const Share& share);
  // `served`: it was dispatched, and its queue pays for it. Returns the turns that are other ones
  // now.
  Turns Remove(const ObjectKey& workload, bool served);

 private:
  struct Level {
    TurnClock queues;
    std::map<std::string, TurnClock> locals;  // by ClusterQueue
  };
  // One that waits.
  struct Member {
    int priority = 0;
    WallTime since{};
    Share share;
    double local_turn = 0;  // in its LocalQueue; 0: these do not share
  };

  static TurnClock::Place PlaceOf(const ObjectKey& workload, const Member& member);
  // The turns among the LocalQueues of a ClusterQueue are these now.
  void Follow(Level& level, const Turns& local_turns, Turns& changed);

  std::map<int, Level> levels_;  // by priority
  std::unordered_map<ObjectKey, Member> members_;
};

}  // namespace fedra::placement
