#pragma once
//
// Lines: the order in which waiting workloads get devices.
//
// All waiting workloads are ordered as in a queue of Kueue's: by priority, then by creation; where
// ClusterQueues have weights, those of one priority by the fair turns of their queues
// (fair_turns.h). Two of them stand in one line on a worker when some device there could serve
// both. No workload is dispatched ahead of one that is in line before it, fits now, and is not
// held by a third. What happens when that one has to wait, for more devices than are free or for
// the third, is the policy's business (OrderPolicy).
//
// Everything here is derived: from the Workloads and the verdicts of the looks at them. Only how
// often a workload was passed, and what each queue has had of its share, is known from having been
// there; after a restart both count from zero, and `max_wait`, which counts from the Workload's own
// times, still bounds the wait.
//
// A look offers what the workload would take (Offer), decides, and says what came of it (Conclude).
// Both return the workloads that must be looked at again because of it. A workload that was never
// looked at holds all those behind it until it has been; one that was looked at before devices
// became free, or before something else that it asks for changed (Invalidate), holds those that
// compete with it; on a worker where it was never judged, or where other devices have come since
// (Offered), it holds all that fit there. Where devices come and go faster than looks are made, a
// look at it after they first asked will do.
//
// One that was dispatched stays until it is admitted. Until it is overdue it holds no other: for a
// further worker it waits in its old place, and when no worker takes it, it has lost neither its
// turn nor the count of its passes. Once overdue it waits as before, except where it was dispatched
// to.
//
// Cost: Offer goes through the workloads ahead as far as to the nearest that holds this one, and
// only where it fits; Conclude once through all that are ahead of one that was dispatched. Where a
// look finds something new, those that are held by it are gone through, and of these only those are
// looked at that it does not hold any more, or otherwise: what concerns one worker, as its outage,
// is nothing to those that are held on others. When the first of a line changes (not when devices
// do), all that wait are gone through once. Join and Leave take O(log n) comparisons: turns and
// places of many that come and go are found when the next one is looked at, in one pass.
//
// Thread rules: none of its own; one user at a time.

#include <boost/container/flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "manager/placement/contender.h"
#include "manager/placement/fair_turns.h"
#include "manager/placement/kept_workers.h"
#include "manager/placement/waiting.h"

namespace fedra::placement {

// A workload's place in line, for people.
struct Standing {
  QueueRank rank;
  WallTime reserved_at{};
  std::map<ClusterName, int> places;  // where it waits or fits; 1: first in that line
  int passes = 0;  // how often others behind it took devices that it could have used
  std::optional<ClusterName> kept;  // the worker that is kept for it
  // It has been passed as often, or has waited as long, as its order allows: where it is the first
  // in line, or fits, none passes it.
  bool is_bound_reached = false;
  // Where it fits, and another one goes first: the one that holds it; where that one is held there
  // itself, the one that holds that, and so on.
  std::map<ClusterName, ObjectKey> behind;

  bool operator==(const Standing&) const = default;
};

// One worker's line.
struct LineFacts {
  int length = 0;
  std::chrono::milliseconds head_waits{
      0};  // since its quota was reserved; 0: no workload stands there
};

class Lines final {
 public:
  // It waits, and nothing is known of what it would take. One that waits already keeps its bids.
  // Returns who has to be looked at again, beside this one, which must be looked at in any case.
  std::vector<ObjectKey> Join(const Contender& contender);

  // If it waits: what was judged of it there, or anywhere, does not hold any more, unless a look
  // saw it that had read version() since.
  void Invalidate(const ObjectKey& workload, const std::optional<ClusterName>& worker);
  // Of all that wait: what can be read of that worker is something else now.
  void InvalidateAll(const ClusterName& worker);
  // Grows with each Join and Invalidate. To be read before a look begins: what it saw (`seen`) is
  // older than those that came after.
  uint64_t version() const { return version_; }

  // Which devices there are has changed on that worker, and has version `as_of` there (Bid::as_of):
  // those that could use none before may by now.
  void Offered(const ClusterName& worker, uint64_t as_of);

  struct Answer {
    std::map<ClusterName, LineAnswer> workers;  // where it fits
    std::vector<ObjectKey> look_at;             // at once
    // Where it may go only because those ahead have been asked again so often: devices there change
    // faster than workloads are looked at, and one ahead may fit by now.
    std::set<ClusterName> passes_unasked;
  };
  // Joins, if need be, and bids again. One that has joined as another contender since `seen` keeps
  // that place, and those behind it wait for the look that follows.
  Answer Offer(const Contender& contender, Bids bids, uint64_t seen, WallTime now);

  // What Offer would answer to one that is in no line, with how many go first; it joins none, and
  // no other workload is looked at for it. One that would have to be looked at first holds it, too.
  // Takes time in proportion to those that wait.
  std::map<ClusterName, LineAnswer> Foresee(const Contender& contender, const Bids& bids,
                                            WallTime now);

  // What came of the offer: it is dispatched to these further workers, or, with none, goes on
  // waiting; then it holds no other where it could have gone and did not. Returns who has to be
  // looked at again.
  std::vector<ObjectKey> Conclude(const ObjectKey& workload,
                                  const std::set<ClusterName>& dispatched);
  // It does not look for a worker (any more), unless it has joined since `seen`.
  std::vector<ObjectKey> Leave(const ObjectKey& workload,
                               uint64_t seen = std::numeric_limits<uint64_t>::max());

  // To be called now and then: joining and leaving let the next look find who is where, and
  // that one may take long. Returns who has to be looked at again.
  std::vector<ObjectKey> Refresh();

  // All that wait, the first of them first; of each at most so many workers, those where it is
  // nearest to its turn. Takes time in proportion to them, and to the workers.
  std::vector<Standing> Standings(WallTime now,
                                  size_t most_workers = std::numeric_limits<size_t>::max());
  // Of every worker for whose devices workloads wait.
  std::map<ClusterName, LineFacts> Facts(WallTime now);
  // How many wait, or were dispatched and are not admitted yet.
  size_t size() const { return entries_.size(); }

 private:
  using Looks = std::vector<ObjectKey>;

  struct Place {
    const ClusterName* worker = nullptr;  // not null
    int place = 0;
  };
  // By worker: how many so far want each set of devices.
  using PlacesTaken = std::map<ClusterName, std::vector<std::pair<const dra::DeviceSet*, int>>>;
  // By worker. Points into entries, and lives no longer than they stay as they are.
  using Causes = boost::container::flat_map<std::string_view, const ObjectKey*>;
  std::vector<Place> PlacesOf(const Waiting& waiting, PlacesTaken& taken);
  Causes CausesOf(const Waiting& waiting,
                  const std::unordered_map<const Waiting*, Causes>& of_others) const;
  static void KeepNearest(std::vector<Place>& places, const Waiting& waiting, size_t most);

  Waiting& Put(const Contender& contender);
  // Brings the order up to date.
  void RefreshOrder();
  // Who is held by one that is not ahead any more, or held those that were not, is looked at.
  void WakeMoved(const std::vector<Waiting*>& later, const std::vector<Waiting*>& earlier);
  bool IsHeldByOneBehind(const Waiting& waiting) const;
  // And who is first, and what is kept.
  void RefreshAll();
  bool IsUpToDate() const;
  // Those behind it are looked at: all of them, or those that wait for a look at it.
  void WakeFollowers(Waiting& waiting);
  void WakeAskers(Waiting& waiting);
  void Wake(Waiting& waiting);
  // Of those behind the restless ones, those to which that is news.
  void WakeReleased();
  // kNews: it must be looked at. kQuiet: those behind it may be held otherwise.
  enum class Change { kNone, kQuiet, kNews };
  Change HoldAnew(const Waiting& holder, Waiting& follower);
  Looks Woken();
  // It is looked at.
  void Look(Waiting& waiting);
  using HeldByWorker = decltype(Waiting::held);
  void SetHeld(Waiting& waiting, HeldByWorker held);

  enum class Hold { kNo, kUntilLookedAt, kUntilItGoes, kUntilItFits };
  Hold HoldOf(const Waiting& ahead, const ClusterName& worker, const Bid& bid, uint64_t as_of,
              WallTime now);
  LineAnswer AnswerOf(Waiting& waiting, const ClusterName& worker, const Bid& bid, WallTime now,
                      std::set<ClusterName>& passes_unasked);
  // The place that it would get by joining now.
  QueueRank RankOf(const Contender& contender) const;
  LineAnswer AskThem(const std::vector<Waiting*>& outdated, Waiting& waiting,
                     const ClusterName& worker, const Bid& bid);
  bool WantSameDevices(const Bid& a, const Bid& b);
  bool IsInvalidated(const Waiting& waiting, const ClusterName& worker) const;
  // Whether it was judged there before other devices came, as far as `as_of` looks.
  bool MissedAnOffer(const Bid* bid, const ClusterName& worker, uint64_t as_of) const;
  void CountPasses(const Waiting& waiting, const std::set<ClusterName>& dispatched);

  std::unordered_map<ObjectKey, Waiting> entries_;
  WaitingOrder order_;
  std::unordered_set<Waiting*> moving_;  // stand not, or not there, where their next_rank says
  FairTurns turns_;
  KeptWorkers kept_;
  Looks woken_;                            // and not returned yet
  std::unordered_set<Waiting*> restless_;  // may hold those behind them otherwise than before
  WallTime now_{};                         // of the last look
  size_t held_ = 0;                        // how many are held somewhere
  uint64_t version_ = 0;
  // version() of the last InvalidateAll; and of the last one anywhere.
  std::map<ClusterName, uint64_t> invalidated_;
  uint64_t last_invalidated_ = 0;
  // As of when devices last came or went. A worker that was removed stays: its versions go on
  // should it come back, and names are few.
  std::map<ClusterName, uint64_t> offered_;
  dra::OverlapMemory overlaps_;
};

}  // namespace fedra::placement
