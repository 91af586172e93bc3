#include "manager/placement/waiting.h"

#include <algorithm>

namespace fedra::placement {
namespace {

// So few are moved one by one.
constexpr size_t kFew = 4;

bool RanksBefore(const Waiting* a, const Waiting* b) { return a->rank < b->rank; }

}  // namespace

bool IsBoundReached(const Waiting& waiting, WallTime now) {
  return waiting.passes >= waiting.settings.max_passes ||
         now - waiting.reserved_at >= waiting.settings.max_wait;
}

bool HasBoundSomewhere(const Waiting& waiting) {
  return waiting.settings.policy == OrderPolicy::kBackfill &&
         (!waiting.first_on.empty() || !waiting.held.empty());
}

WaitingOrder::iterator WaitingOrder::Find(const Waiting& waiting) const {
  return std::lower_bound(order_.begin(), order_.end(), &waiting, RanksBefore);
}

void WaitingOrder::Remove(Waiting& waiting) {
  if (waiting.is_placed) order_.erase(Find(waiting));
  waiting.is_placed = false;
}

void WaitingOrder::Place(const std::vector<Waiting*>& ascending) {
  const bool few = ascending.size() <= kFew;
  for (Waiting* each : ascending) {
    if (few) Remove(*each);
    each->is_placed = false;
  }
  if (!few) std::erase_if(order_, [](const Waiting* each) { return !each->is_placed; });
  for (Waiting* each : ascending) {
    each->rank = each->next_rank;
    each->is_placed = true;
  }
  if (few) {
    for (Waiting* each : ascending) order_.insert(Find(*each), each);
    return;
  }
  const auto placed = static_cast<std::ptrdiff_t>(order_.size());
  order_.insert(order_.end(), ascending.begin(), ascending.end());
  std::inplace_merge(order_.begin(), order_.begin() + placed, order_.end(), RanksBefore);
}

}  // namespace fedra::placement
