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
// From when on a flow may have turns is known by place, not by job: who joins adds a last place,
// who leaves unserved takes the last one away, and jobs that change their order change places. So
// turns follow from who came, was served and went, and not from when they are asked for; they are
// found only then (Refresh): each change takes O(log n), and finding the turns behind all changes
// of a flow one pass along it.
//
// Source of the rule: Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996).
//
// Thread rules: none of its own; one user at a time.

#include <compare>
#include <map>
#include <optional>
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

  // A workload's place in its flow.
  struct Key {
    double before = 0;  // what decides first; the lesser goes first
    WallTime since{};
    ObjectKey workload;

    std::weak_ordering operator<=>(const Key& other) const;
  };

  void Add(const std::string& flow, const Key& key, double step);
  void Move(const std::string& flow, const Key& from, const Key& to);
  // Unserved: those behind it move up.
  void Leave(const std::string& flow, const Key& key);
  // Its flow pays for it. Right after Refresh only.
  void Serve(const std::string& flow, const Key& key);

  // Appends the turns that are new or other ones now, each once.
  void Refresh(Turns& changed);

  // Nothing is known of any flow.
  bool empty() const { return flows_.empty(); }

 private:
  struct Turn {
    double at = -1;  // as of the last Refresh; less than 0: not known yet
    double step = 0;
    double Next() const { return at + step; }
  };
  using Queue = std::map<Key, Turn>;
  struct Flow {
    double next = 0;                 // a new place has no turn before this
    int overtaken = 0;               // how many later turns were served since `first` has waited
    std::optional<ObjectKey> first;  // as of the last Serve; nothing: it has left
    Queue waiting;
    std::vector<double>
        begins;               // no turn before this, by place: one for each that waits; ascending
    double latest_begin = 0;  // there has been since the last Refresh
    // Turns may be other ones from the first of these on; behind the last only if they are other
    // ones there, or begin later.
    Key first_stale, last_stale;
    bool is_up_to_date = true;  // all turns are known
  };

  // Its place goes, and those behind it begin no earlier than its next turn.
  static void TakeServed(Flow& flow, Queue::iterator at);
  static size_t PlaceOf(const Flow& flow, Queue::const_iterator at);
  static void MarkStale(Flow& flow, Queue::iterator at);
  static void Refresh(Flow& flow, Turns& changed);
  // This turn was served.
  void CountOvertaken(double turn);
  // Of all that wait and are not stalled; infinity: none does.
  double LeastTurn() const;

  double now_ = 0;  // the last turn that was served, or the least of those that wait
  std::map<std::string, Flow> flows_;
};

}  // namespace fedra::placement
