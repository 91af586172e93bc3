#include "manager/reconcile/call_gates.h"

namespace fedra::reconcile {

bool CallGates::MayEnter(const State& state, const ClusterName& worker, SteadyTime now) const {
  const auto found = state.waiting.find(worker);
  if (found == state.waiting.end()) return true;
  const auto& waiting = found->second;
  const auto longest = now - *waiting.begin();
  if (state.beyond_first >= limits_.beyond_first || longest > limits_.patience) return false;
  return longest <= limits_.brisk || waiting.size() < limits_.per_slow_worker;
}

std::unique_ptr<CallGates::Pass> CallGates::TryEnter(const ClusterName& worker) {
  const SteadyTime now = clock_.Steady();
  const bool entered = state_.With([&](State& state) {
    if (!MayEnter(state, worker, now)) return false;
    auto& waiting = state.waiting[worker];
    if (!waiting.empty()) ++state.beyond_first;
    waiting.insert(now);
    return true;
  });
  return entered ? std::make_unique<Pass>(*this, worker, now) : nullptr;
}

void CallGates::Leave(const ClusterName& worker, SteadyTime since) {
  state_.With([&](State& state) {
    const auto found = state.waiting.find(worker);
    auto& waiting = found->second;
    waiting.erase(waiting.find(since));
    if (waiting.empty()) {
      state.waiting.erase(found);
    } else {
      --state.beyond_first;
    }
  });
}

}  // namespace fedra::reconcile
