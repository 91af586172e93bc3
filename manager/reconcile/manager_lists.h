#pragma once
//
// How far the manager's lists are: what decisions wait for, what keeps the manager from being used,
// and what is missed and not needed. Part of ManagerCluster.
//
// Reads the health of the caches and nothing else. Thread rules: any thread after Set(), which
// comes before the cluster's start. Lifetime: the sinks must outlive it.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/reconcile/manager_inputs.h"

namespace fedra::reconcile {

class ManagerLists final {
 public:
  struct List {
    ManagerInput input;
    const watch::CacheSink* sink = nullptr;
  };

  // `is_read`: whether an input is read now; one that is not counts for nothing.
  explicit ManagerLists(std::function<bool(const ManagerInput&)> is_read);

  void Set(std::vector<List> lists) { lists_ = std::move(lists); }

  // Whether everything that decisions need has been listed at least once.
  bool AreListed() const;
  // The same, of what the server holds now: after a Cluster::Relist() of what IsAwaited() it has
  // been listed again, as far as it may be.
  bool AreListedAnew() const;
  // Whether decisions wait for what this sink is fed with (ManagerInput::awaited).
  bool IsAwaited(const watch::CacheSink& sink) const;
  // What is not listed, or cannot be watched now; empty when all is well.
  std::string Problem() const;
  // What may not be read, or fails, and is not needed: of the inputs that are read, in their order.
  std::vector<Gap> Gaps() const;
  // Those that it has not returned since they could be read last, and what is needed and withheld,
  // which Problem() tells as long as it is: an outage, after which they are still withheld, makes
  // none of them new. Call now and then.
  std::vector<Gap> TakeNewGaps();

 private:
  // visit(input, health) for each input that is read.
  template <class Visit>
  void VisitRead(Visit visit) const;

  const std::function<bool(const ManagerInput&)> is_read_;
  std::vector<List> lists_;                    // constant after Set()
  Guarded<std::set<std::string>> known_gaps_;  // Gap::resource; of TakeNewGaps()
};

}  // namespace fedra::reconcile
