#pragma once
//
// Lines: the order in which waiting workloads get devices.
//
// All waiting workloads are ordered as in a queue of Kueue's: by priority, then by creation; where
// ClusterQueues have weights, those of one priority by the fair turns of their queues
// (fair_turns.h). Two of them stand in one line on a worker when some device there could serve
// both. No workload is dispatched ahead of one that stands in line before it, fits now, and is not
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
// only where it fits; Conclude once through all that are ahead of one that was dispatched. When the
// first of a line changes (not when devices do), all that wait are gone through once.
//
// Thread rules: none of its own; one user at a time.

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "manager/placement/fair_turns.h"

namespace fedra::placement {

enum class OrderPolicy {
  // No workload passes one that waits for devices which both could use.
  kStrict,
  // The worker where the first in line lacks least is kept for it, for as long as it
  // waits there. Elsewhere others may pass it, at most `max_passes` times and no longer than
  // `max_wait`. Those that are not first may be passed until they are; but where one fits, and is
  // held by one that waits, it has the same bound.
  kBackfill,
  // Whatever fits goes; the order holds only among those that fit.
  kBestEffort,
};

// "Strict", "Backfill", "BestEffort"; wire values of the annotation fedra.dev/order.
std::optional<OrderPolicy> ParseOrderPolicy(std::string_view text);

struct OrderSettings {
  OrderPolicy policy = OrderPolicy::kBackfill;
  int max_passes = 16;
  std::chrono::milliseconds max_wait = std::chrono::minutes(10);  // from Contender::reserved_at

  bool operator==(const OrderSettings&) const = default;
};

// Where a workload stands among all that wait; the lesser goes first.
struct QueueRank {
  int priority = 0;  // as Kueue resolved it; higher goes first
  double turn = 0;   // of its queue, where queues share by weight; Lines gives it
  WallTime since{};  // its creation
  ObjectKey workload;

  std::weak_ordering operator<=>(const QueueRank& other) const;
  bool operator==(const QueueRank&) const = default;
};

// A workload that looks for a worker.
struct Contender {
  QueueRank rank;
  WallTime reserved_at{};  // since when its quota is reserved: what it lacks since then is a worker
  OrderSettings order;     // of its ClusterQueue
  // Absent: no ClusterQueue has a weight, and time alone decides.
  std::optional<Share> share = std::nullopt;
  // It was dispatched, and is admitted nowhere yet: it may get further workers, in its turn.
  bool dispatched = false;
  // And the workers that it was dispatched to have had their time: it waits for others. Only looks
  // know it.
  bool overdue = false;
};

// What a workload would take of one worker, as last judged.
struct Bid {
  enum class Chance {
    kFits,   // it could be dispatched there now
    kWaits,  // it fits once devices that are in use become free
    kNone,   // what stands against it is not a shortage of devices
  };
  Chance chance = Chance::kNone;
  // Grows on that worker whenever devices may have become free. One that was judged before is
  // looked at again before any behind it is dispatched there.
  uint64_t as_of = 0;
  int missing = 0;                                // pods that do not fit; for kWaits
  std::shared_ptr<const dra::DeviceSet> devices;  // that could serve it; null: none

  bool operator==(const Bid&) const = default;
  // Whether they stand in the same line, and wait there alike.
  bool IsLike(const Bid& other) const { return chance == other.chance && devices == other.devices; }
};
using Bids = std::map<ClusterName, Bid>;
// Whether some worker would do once devices are free there.
bool WaitsAnywhere(const Bids& bids);

// What the line on one worker says to a workload that bids there.
struct Turn {
  // The nearest of those that go first; absent: it may be dispatched there.
  std::optional<ObjectKey> after;
  // One that goes first waits for devices itself; else they go at once, or are judged at once.
  bool after_waiting = false;
};

// Where a workload stands, for people.
struct Standing {
  QueueRank rank;
  WallTime reserved_at{};
  std::map<ClusterName, int> places;  // where it waits or fits; 1: first in that line
  int passes = 0;  // how often others behind it took devices that it could have used
  std::optional<ClusterName> kept;  // the worker that is kept for it
  // It has been passed as often, or has waited as long, as its order allows: where it is the first
  // in line, or fits, none passes it.
  bool is_bound_reached = false;
  // Where it fits, and another one goes first: the one that holds it.
  std::map<ClusterName, ObjectKey> behind;

  bool operator==(const Standing&) const = default;
};

class Lines final {
 public:
  // It waits, and nothing is known of what it would take. One that waits already keeps its bids.
  // Returns who has to be looked at again.
  std::vector<ObjectKey> Join(const Contender& contender);

  // If it waits: what was judged of it there, or anywhere, does not hold any more, unless a look
  // saw it that had read doubts() since.
  void Invalidate(const ObjectKey& workload, const std::optional<ClusterName>& worker);
  // To be read before anything is looked at that will be offered (Offer's `seen`).
  uint64_t doubts() const { return doubts_; }

  // Which devices there are has changed on that worker, and has version `as_of` there (Bid::as_of):
  // those that could use none before may by now.
  void Offered(const ClusterName& worker, uint64_t as_of);

  struct Answer {
    std::map<ClusterName, Turn> turns;  // for every worker where it fits
    std::vector<ObjectKey> look_at;     // at once
  };
  // Joins, if need be, and bids again. `seen`: doubts() from before the bids were made.
  Answer Offer(const Contender& contender, Bids bids, uint64_t seen, WallTime now);

  // What came of the offer: it is dispatched to these further workers, or, with none, goes on
  // waiting; then it holds no other where it could have gone and did not. Returns who has to be
  // looked at again.
  std::vector<ObjectKey> Conclude(const ObjectKey& workload,
                                  const std::set<ClusterName>& dispatched);
  // It does not look for a worker (any more).
  std::vector<ObjectKey> Leave(const ObjectKey& workload);

  // All that wait, the first of them first. Takes time in proportion to them.
  std::vector<Standing> Standings(WallTime now);

 private:
  // That those ahead be looked at again: as of when, and how often in vain.
  struct Asked {
    uint64_t as_of = 0;
    int times = 0;
  };
  struct Entry {
    WallTime reserved_at{};
    OrderSettings settings;
    std::optional<Share> share;
    bool dispatched = false;
    bool overdue = false;
    bool has_paid = false;    // was dispatched: its queue has had the turn
    bool has_passed = false;  // its passes are counted, and its nomination is not seen yet
    bool is_known = false;    // was looked at
    std::map<std::optional<ClusterName>, uint64_t> doubts;  // since then; nothing: on all workers
    Bids bids;
    std::map<ClusterName, bool> held;         // fits there, but not its turn: Turn::after_waiting
    std::map<ClusterName, ObjectKey> behind;  // where it is held: Turn::after
    // It waits somewhere. Of its workers, those where none goes first that waits somewhere, too.
    std::set<ClusterName> first_on;
    std::optional<ClusterName> kept;  // kBackfill: of these, the worker that is kept for it
    int passes = 0;

    bool Waits() const { return !dispatched || overdue; }
    bool IsInDoubt(const ClusterName& worker) const {
      return !doubts.empty() && (doubts.contains(std::nullopt) || doubts.contains(worker));
    }
    std::set<ObjectKey> followers;  // that wait for a change of this one
    std::map<ClusterName, Asked> asked;
  };
  using Order = std::map<QueueRank, Entry>;

  void WakeFollowers(Entry& entry, std::vector<ObjectKey>& look_at);

  enum class Hold { kNo, kUntilLookedAt, kUntilItGoes, kUntilItFits };
  // These append the workloads that stood behind one that is later now, and those that are earlier.
  Order::iterator Put(const Contender& contender, std::vector<ObjectKey>& look_at);
  Order::iterator Move(Order::iterator entry, const QueueRank& rank,
                       std::vector<ObjectKey>& look_at);
  double TakeTurn(const QueueRank& rank, const Share& share, std::vector<ObjectKey>& look_at);
  void LeaveShare(const QueueRank& rank, const Entry& entry, bool served,
                  std::vector<ObjectKey>& look_at);
  void Follow(const Turns& turns, std::vector<ObjectKey>& look_at);
  static bool IsBoundReached(const Entry& entry, WallTime now);
  static bool HasBound(const Entry& entry, const ClusterName& worker);
  static bool HasBoundSomewhere(const Entry& entry);
  static bool MayBePassed(const Entry& entry, const ClusterName& worker, WallTime now);
  Hold HoldOf(const Entry& ahead, const ClusterName& worker, const Bid& bid, uint64_t as_of,
              WallTime now);
  Turn TurnOf(Order::iterator self, const ClusterName& worker, const Bid& bid, WallTime now,
              std::vector<ObjectKey>& look_at);
  bool Compete(const Entry& entry, const ClusterName& worker, const Bid& bid);
  bool WantSameDevices(const Entry& entry, const ClusterName& worker, const Bid& bid);
  bool MayWant(const Entry& entry, const ClusterName& worker, const Bid& bid);
  // Whether it was judged there before other devices came, as far as `as_of` looks.
  bool MissedAnOffer(const Entry& entry, const ClusterName& worker, uint64_t as_of) const;
  // What Entry::first_on has to be, given those of the heads.
  std::set<ClusterName> FirstOn(const Order::value_type& entry);
  // Of these workers, where it waits, the one where the fewest pods are missing.
  static std::optional<ClusterName> Nearest(const Entry& entry,
                                            const std::set<ClusterName>& workers);
  // Appends those that stood behind one that is not, or not there, the first any more.
  void FindHeads(std::vector<ObjectKey>& look_at);

  Order order_;
  std::unordered_map<ObjectKey, Order::iterator> entries_;
  FairTurns turns_;
  std::vector<Order::value_type*> heads_;  // first somewhere; in their order
  bool heads_outdated_ = false;
  uint64_t doubts_ = 0;                      // how many there have been
  std::map<ClusterName, uint64_t> offered_;  // as of when devices last came or went
  dra::OverlapMemory overlaps_;
};

}  // namespace fedra::placement
