#pragma once
//
// On which workers copies of a workload are or may be, or devices are assumed for it: so that a
// look at a workload that has its worker need not ask all others.
//
// Never too few: an event on a worker adds the worker, and only a look that found nothing there
// takes it out. Take() empties the entry before the look; an event that comes during the look adds
// the worker again.
//
// Thread rules: any thread; Take and Put of one workload by one thread at a time.

#include <set>
#include <unordered_map>

#include "base/guarded.h"
#include "base/types.h"

namespace fedra::reconcile {

class CopyPlaces final {
 public:
  // A clone or a job of this workload has changed there, or it was dispatched there.
  void Add(const ObjectKey& workload, const ClusterName& worker);
  std::set<ClusterName> Of(const ObjectKey& workload) const;
  // Before a look. Those that are found to have copies are put back.
  std::set<ClusterName> Take(const ObjectKey& workload);
  void Put(const ObjectKey& workload, const std::set<ClusterName>& workers);

 private:
  Guarded<std::unordered_map<ObjectKey, std::set<ClusterName>>> places_;
};

}  // namespace fedra::reconcile
