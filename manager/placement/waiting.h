#pragma once
//
// A workload in the lines (lines.h), and the order of all of them.
//
// Thread rules: none of its own; one user at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "manager/placement/contender.h"

namespace fedra::placement {

// Where a workload fits, and another one goes first.
struct Held {
  std::shared_ptr<const ObjectKey> after;  // not null
  bool after_waiting = false;              // as of LineAnswer, now
  bool told_waiting = false;               // the same, as its last look was told
};

// One per waiting workload, and what is kept per worker counts a thousand times over.
struct Waiting {
  QueueRank rank;          // its place in the order; means nothing before it is placed there
  QueueRank next_rank;     // its place once the order has been refreshed
  bool is_placed = false;  // in the order

  WallTime reserved_at{};
  OrderSettings settings;
  std::optional<Share> share;
  bool dispatched = false;
  bool overdue = false;
  bool has_paid = false;    // was dispatched: its queue has had the turn
  bool has_passed = false;  // its passes are counted, and its nomination is not seen yet
  bool is_known = false;    // was looked at
  uint64_t joined = 0;      // Lines::version() of its last Join
  uint64_t seen = 0;        // and of the look that made its bids
  uint64_t changed = 0;     // and of the last time that it was another contender than before
  std::map<std::optional<ClusterName>, uint64_t>
      invalidated;                // since then; nothing: on all workers
  Bids bids;                      // none of kAway
  std::vector<ClusterName> away;  // those
  boost::container::flat_map<ClusterName, Held> held;
  int passes = 0;

  // Given by KeptWorkers. It waits somewhere: of its workers, those where none goes first that
  // waits somewhere, too.
  std::set<ClusterName> first_on;
  std::optional<ClusterName> kept;  // kBackfill: of these, the worker that is kept for it
  size_t heads_ahead = 0;           // how many that are first somewhere stand ahead of it

  std::set<ObjectKey> followers;  // that wait for a change of this one
  std::set<ObjectKey> askers;     // that wait until it has been looked at
  // That those ahead be looked at again: as of when, and how often in vain.
  struct Asked {
    uint64_t as_of = 0;
    int times = 0;
  };
  std::map<ClusterName, Asked> asked;  // none where it has not asked

  std::shared_ptr<const ObjectKey> name;  // for those that it holds
  bool is_woken = false;                  // and not returned yet
  bool is_awaited = false;  // what holds it has changed, and it has not been looked at since

  bool Waits() const { return !dispatched || overdue; }
  bool IsInvalidated(const ClusterName& worker) const {
    return !invalidated.empty() &&
           (invalidated.contains(std::nullopt) || invalidated.contains(worker));
  }
  // Null: none.
  const Bid* BidOn(const ClusterName& worker) const {
    const auto bid = bids.find(worker);
    return bid == bids.end() ? nullptr : &bid->second;
  }
};

// Whether it has been passed as often, or has waited as long, as its order allows.
bool IsBoundReached(const Waiting& waiting, WallTime now);
// Whether that means anything on some worker.
bool HasBoundSomewhere(const Waiting& waiting);

// By rank. One that comes or goes takes O(log n) comparisons, many at once O(n) of all.
class WaitingOrder final {
 public:
  using iterator = std::vector<Waiting*>::const_iterator;

  iterator begin() const { return order_.begin(); }
  iterator end() const { return order_.end(); }
  bool empty() const { return order_.empty(); }
  // Of one that is placed.
  iterator Find(const Waiting& waiting) const;

  // Each goes where its next_rank says, which is its rank then. Each once; ascending.
  void Place(const std::vector<Waiting*>& ascending);
  // If it is placed.
  void Remove(Waiting& waiting);

 private:
  std::vector<Waiting*> order_;
};

}  // namespace fedra::placement
