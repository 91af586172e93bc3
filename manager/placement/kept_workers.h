#pragma once
//
// Who is first in which line, and which worker is kept for whom (OrderPolicy::kBackfill).
//
// First on a worker is one that waits somewhere and bids there, and before which none goes that is
// first somewhere, waits there too, and wants the same devices. Of the workers where it is first
// and waits, the one where the fewest pods are missing is kept for it, for as long as it is first
// and waits there: what has become free there would be lost on a way to another one.
//
// Cost: Find goes through the bids of all that wait, the rest through those of one.
//
// Thread rules: none of its own; one user at a time. Lifetime: workloads stay where they are from
// when they are given until Remove.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "dra/judge/device_set.h"
#include "manager/placement/waiting.h"

namespace fedra::placement {

class KeptWorkers final {
 public:
  // The first in a line may be another one now.
  void MarkStale() { is_stale_ = true; }
  bool IsStale() const { return is_stale_; }

  // It bids otherwise than before.
  void OnBids(Waiting& waiting, dra::OverlapMemory& overlaps);
  // Some have changed places in the order.
  void OnMoves(const WaitingOrder& order);
  // It leaves the order.
  void Remove(const Waiting& waiting);

  // Finds, if they are stale, who is first where and what is kept. Returns those for which either
  // is another one now.
  std::vector<Waiting*> Find(const WaitingOrder& order, dra::OverlapMemory& overlaps);

 private:
  struct Head {
    const Waiting* waiting;
    std::shared_ptr<const dra::DeviceSet> devices;
  };

  std::set<ClusterName> FirstOn(const Waiting& waiting, dra::OverlapMemory& overlaps) const;

  bool is_stale_ = false;
  std::vector<const Waiting*> heads_;                    // first somewhere; in their order
  std::map<ClusterName, std::vector<Head>> first_here_;  // in their order
};

}  // namespace fedra::placement
