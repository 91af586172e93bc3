#pragma once
//
// One virtual clock: flows that take turns by weight. A flow's next turn comes one step (cost /
// weight) after its last one, and never before the turn that was served last: a flow that does not
// wait saves nothing up.
//
// Only what is served is charged: those behind one that leaves unserved move up.
//
// What is served is not always the first of all: flows are served side by side, each in the lines
// of its devices. So the clock shows the least turn of those that wait, and a flow that comes new
// does not wait for the backlog of another line. But it stands still no longer than for kStalled
// turns that others are served while the first of a flow waits: otherwise a job that waits for days
// would make every flow that comes meanwhile as rich as if it had waited, too.
//
// Turns follow from what waits in a flow, so they are found only when they are asked for (Settle):
// each change takes O(log n), and finding the turns behind all changes of a flow one pass along it.
//
// Source of the rule: Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996).
//
// Thread rules: none of its own; one user at a time.

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/types.h"

namespace fedra::placement {

// Of workloads; the lesser goes first.
using Turns = std::vector<std::pair<ObjectKey, double>>;

class TurnClock final {
 public:
  static constexpr int kStalled = 64;

  // Where a workload stands in its flow.
  struct Place {
    double before = 0;  // what decides first; the lesser goes first
    WallTime since{};
    ObjectKey workload;

    std::weak_ordering operator<=>(const Place& other) const;
  };

  void Add(const std::string& flow, const Place& place, double step);
  void Move(const std::string& flow, const Place& from, const Place& to);
  // Unserved: those behind it move up.
  void Leave(const std::string& flow, const Place& place);
  // Its flow pays for it. Right after Settle only.
  void Serve(const std::string& flow, const Place& place);

  // Appends the turns that are new or other ones now, each once.
  void Settle(Turns& changed);

  // Nothing is known of any flow.
  bool empty() const { return flows_.empty(); }

 private:
  struct Waiting {
    double begin = 0;  // no turn before this
    double turn = -1;  // as of the last Settle; less than 0: not known yet
    double step = 0;
    double Next() const { return turn + step; }
  };
  using Queue = std::map<Place, Waiting>;
  struct Flow {
    double next = 0;    // who joins at its end has no turn before this
    int overtaken = 0;  // how many later turns were served since its first one has waited
    Queue waiting;
    // Turns may be other ones from the first of these on; behind the last only if they are other
    // ones there. Nothing: all are known.
    Place first_unsettled, last_unsettled;
    bool is_settled = true;
  };

  // Takes it out; who is behind it begins no earlier than this.
  static void Take(Flow& flow, Queue::iterator at, double least);
  static void Insert(Flow& flow, const Place& place, Waiting waiting);
  static void Unsettle(Flow& flow, Queue::iterator at);
  static void Settle(Flow& flow, Turns& changed);
  // This turn was served.
  void CountOvertaken(double turn);
  // Of all that wait and are not stalled; infinity: none does.
  double LeastTurn() const;

  double now_ = 0;  // the last turn that was served, or the least of those that wait
  std::map<std::string, Flow> flows_;
};

}  // namespace fedra::placement
