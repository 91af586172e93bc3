#pragma once
//
// Devices and quota for one decision, on several workers at once: all of them or none. What was
// assumed for the workload elsewhere is off then.
//
// Thread rules: any thread; of two that reserve at the same time one gets through.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/types.h"
#include "manager/reconcile/assume_cache.h"

namespace fedra::reconcile {

// A worker that was judged, or is dispatched to.
struct JudgedCache {
  AssumeCache* cache = nullptr;  // not null
  AssumeCache::Basis verdict;
};

// What a decision wants to be assumed for one workload.
struct ReserveRequest {
  placement::Assumption assumption;  // where `dispatched` is empty only its workload is used
  std::set<ClusterName> dispatched;  // the workers that the decision dispatches it to
  // That decided: those that were judged, and all of `dispatched`.
  std::map<ClusterName, JudgedCache> judged;
  // Where something may be assumed for it by now; not null. It ends where it is not dispatched to.
  std::map<ClusterName, AssumeCache*> places;
  // What was assumed on workers that it is not dispatched to decides, too, as it does where users
  // of one claim must be together (verify::KeepClaimsTogether).
  bool all_count = false;
};

struct ReserveResult {
  bool made = false;  // false: a verdict does not hold any more, and nothing is reserved
  std::vector<ClusterName> freed;  // workers where something that was assumed has ended
};

ReserveResult ReserveOnAll(const ReserveRequest& wanted);

}  // namespace fedra::reconcile
