#include "manager/reconcile/phase_counter.h"

#include <algorithm>
#include <chrono>

namespace fedra::reconcile {

void PhaseCounter::Record(const ObjectKey& workload, const SeenPhase& seen) {
  state_.With([&](State& state) {
    if (seen.phase == placement::Phase::kGone) {
      state.workloads.erase(workload);
      return;
    }
    state.kinds.insert(seen.kind);
    Counted& counted = state.workloads[workload];
    counted.kind = seen.kind;
    counted.phase = seen.phase;
    // What kept it once says nothing about what keeps it when it is blocked again.
    if (seen.phase != placement::Phase::kBlocked) {
      counted.reason = {};
    } else if (!seen.reason.empty()) {
      counted.reason = seen.reason;
    }
    if (seen.reserved_at) counted.reserved_at = *seen.reserved_at;
  });
}

KindPhases PhaseCounter::ByPhase() const {
  KindPhases counts;
  state_.With([&](const State& state) {
    for (const std::string& kind : state.kinds)
      for (const placement::Phase phase : placement::kPhases)
        counts[{kind, placement::ToString(phase)}] = 0;
    for (const auto& [key, counted] : state.workloads)
      ++counts[{counted.kind, placement::ToString(counted.phase)}];
  });
  return counts;
}

std::map<std::string_view, BlockedFacts> PhaseCounter::BlockedByReason(WallTime now) const {
  std::map<std::string_view, BlockedFacts> reasons;
  state_.With([&](const State& state) {
    for (const auto& [key, counted] : state.workloads) {
      if (counted.phase != placement::Phase::kBlocked || counted.reason.empty()) continue;
      BlockedFacts& facts = reasons[counted.reason];
      ++facts.count;
      if (counted.reserved_at == WallTime{}) continue;
      facts.longest = std::max(facts.longest, std::chrono::duration_cast<std::chrono::milliseconds>(
                                                  now - counted.reserved_at));
    }
  });
  return reasons;
}

}  // namespace fedra::reconcile
