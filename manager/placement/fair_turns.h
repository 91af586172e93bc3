#pragma once
//
// Turns of workloads whose queues share devices by weight: start-time fair queueing, one virtual
// clock for each priority. A queue's next turn comes cost / weight after its last one, and never
// before the turn that was served last: who did not wait saves nothing up.
//
// Within a queue turns follow the time since when its workloads wait. With n queues of weights w1,
// ..., wn a workload of unit cost, p-th in queue i, waits for at most p * wj / wi + 1 workloads of
// any other queue j.
//
// Source of the rule: Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996).
//
// Thread rules: none of its own; one user at a time.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/types.h"

namespace fedra::placement {

// What a workload's ClusterQueue has of the devices that it shares with others.
struct Share {
  std::string queue;
  double weight = 1;  // spec.fairSharing.weight; 0 counts as very little
  double cost = 1;    // its pods

  bool operator==(const Share&) const = default;
};

class FairTurns final {
 public:
  struct Turn {
    ObjectKey workload;
    double at = 0;  // the lesser goes first
  };

  // Its own turn, and those of its queue that come later because of it.
  std::vector<Turn> Add(int priority, WallTime since, const ObjectKey& workload,
                        const Share& share);
  // `served`: it was dispatched, and its queue pays for it. Otherwise those behind it in its queue
  // go as if it had never come, but not before the turn that was served last: the turns that come
  // earlier by that.
  std::vector<Turn> Remove(int priority, WallTime since, const ObjectKey& workload,
                           const std::string& queue, bool served);

 private:
  struct Place {
    double turn = 0;
    double step = 0;
    double Next() const { return turn + step; }
  };
  using Waiting = std::map<std::pair<WallTime, ObjectKey>, Place>;
  struct Queue {
    double next = 0;  // no turn of it is before this
    Waiting waiting;
  };
  struct Level {
    double now = 0;  // the last turn that was served, and none that waits was before it
    std::map<std::string, Queue> queues;
  };

  // Moves the workloads from `first` on forward.
  static std::vector<Turn> CloseGap(Queue& queue, Waiting::iterator first, double now);
  // Of those that wait; infinity: none does.
  static double LeastTurn(const Level& level);

  std::map<int, Level> levels_;  // by priority
};

}  // namespace fedra::placement
