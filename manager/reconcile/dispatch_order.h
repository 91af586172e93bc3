#pragma once
//
// The lines of all waiting workloads (placement/lines.h), for the looks of many threads.
//
// One lock for all: a workload is in the lines of many workers, and whether it goes depends on
// what holds it in each of them at one moment. It is held for some microseconds per look
// (bench_lines; docs/performance.md), and never while anything is asked or written.
//
// Thread rules: any thread.

#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/guarded.h"
#include "manager/placement/lines.h"

namespace fedra::reconcile {

class DispatchOrder final {
 public:
  // It looks for a worker; until it has been looked at, those behind it wait. Returns who has to be
  // looked at again.
  std::vector<ObjectKey> Join(const placement::Contender& contender);

  // To be called now and then (placement::Lines::Refresh). Returns who has to be looked at again.
  std::vector<ObjectKey> Refresh();

  // What is known of these does not hold any more, there or, without a worker, anywhere: those
  // behind them wait until they have been looked at again.
  void Invalidate(const std::vector<ObjectKey>& workloads,
                  const std::optional<ClusterName>& worker);
  // The same of all that wait, at no cost that grows with them.
  void InvalidateAll(const ClusterName& worker);
  // Devices may have become free there: verdicts made before are out of date.
  void Freed(const ClusterName& worker);
  // Which devices there are has changed there: that concerns those, too, that could use none of
  // them.
  void Offered(const ClusterName& worker);
  // As of when a look sees what it sees.
  struct Versions {
    // placement::Bid::as_of. Shared by the looks until devices change somewhere; not null.
    std::shared_ptr<const std::map<ClusterName, uint64_t>> devices;
    uint64_t lines = 0;  // placement::Lines::version()
  };
  // To be read before the caches are.
  Versions Now() const;

  // It looks for no worker, as was seen then; one that has joined since stays. Returns who has to
  // be looked at again.
  std::vector<ObjectKey> Leave(const ObjectKey& workload, const Versions& seen);

  // `seen`: Now() of the look that made the bids.
  placement::Lines::Answer Offer(const placement::Contender& contender, placement::Bids bids,
                                 const Versions& seen, WallTime now);
  // Of one that looks for no worker: what an offer would be answered (placement::Lines::Foresee).
  std::map<ClusterName, placement::LineAnswer> Foresee(const placement::Contender& contender,
                                                       placement::Bids bids, WallTime now);
  std::vector<ObjectKey> Conclude(const ObjectKey& workload,
                                  const std::set<ClusterName>& dispatched);
  std::map<ClusterName, placement::LineFacts> Facts(WallTime now) const;
  // As of placement::Lines::Standings. `most_places`: of all together, at least kFewPlaces of each.
  static constexpr size_t kFewPlaces = 8;
  std::vector<placement::Standing> Standings(
      WallTime now, size_t most_places = std::numeric_limits<size_t>::max()) const;

 private:
  struct State {
    placement::Lines lines;
    // Of removed workers, too: bids of before must stay older than those of after.
    std::map<ClusterName, uint64_t> devices;
    // A copy of `devices` as it is, made when a look asks; null: none has asked since it changed.
    std::shared_ptr<const std::map<ClusterName, uint64_t>> published;

    // Another version of the worker's devices, which is returned.
    uint64_t Change(const ClusterName& worker);
    // A verdict may have seen devices become free that were counted (Freed) only after its look had
    // begun. Where it is a Yes, those ahead must have been judged since then, too.
    void BringUpToDate(placement::Bids& bids);
  };
  mutable Guarded<State> state_;
};

}  // namespace fedra::reconcile
