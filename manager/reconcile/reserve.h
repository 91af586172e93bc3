#pragma once
//
// Devices for one decision, on several workers at once: all of them or none.
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
  uint64_t seen = 0;             // AssumeCache::version() from before its verdict
};

struct Reservation {
  bool made = false;  // false: something was added since the verdicts, and nothing is reserved
  std::vector<ClusterName> freed;
};

// `dispatched`: of the workers. `all_count`: what was assumed on the others decides, too, as it
// does where users of one claim must be together (verify::KeepClaimsTogether).
Reservation ReserveOnAll(const placement::Assumption& assumption,
                         const std::map<ClusterName, JudgedCache>& workers,
                         const std::set<ClusterName>& dispatched, bool all_count);

}  // namespace fedra::reconcile
