#pragma once
//
// The lines of all waiting workloads (placement/lines.h), for the looks of many threads.
//
// Thread rules: any thread.

#include <map>
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
  // It does not. Returns who has to be looked at again.
  std::vector<ObjectKey> Leave(const ObjectKey& workload);

  // What is known of these does not hold any more: those behind them wait until they have been
  // looked at again.
  void Invalidate(const std::vector<ObjectKey>& workloads);
  // Devices may have become free there: verdicts made before are out of date.
  void Freed(const ClusterName& worker);
  // Which devices there are has changed there: that concerns those, too, that could use none of
  // them.
  void Offered(const ClusterName& worker);
  // To be read before the verdicts are made that are offered with it.
  std::map<ClusterName, uint64_t> Versions() const;

  placement::Lines::Answer Offer(const placement::Contender& contender, placement::Bids bids,
                                 WallTime now);
  std::vector<ObjectKey> Conclude(const ObjectKey& workload,
                                  const std::set<ClusterName>& dispatched);
  std::vector<placement::Standing> Standings(WallTime now) const;

 private:
  struct State {
    placement::Lines lines;
    std::map<ClusterName, uint64_t> versions;
  };
  mutable Guarded<State> state_;
};

}  // namespace fedra::reconcile
