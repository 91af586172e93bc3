#include "manager/reconcile/concurrency_limiter.h"

#include <optional>

namespace fedra::reconcile {
namespace {

// When a worker that is waited for by enough threads is tried again.
constexpr std::chrono::milliseconds kBusy{50};

}  // namespace

bool ConcurrencyLimiter::IsSuspect(const State& state, const ClusterName& worker,
                                   SteadyTime now) const {
  const auto waiting = state.waiting.find(worker);
  if (waiting != state.waiting.end() && now - *waiting->second.begin() > limits_.fast_below)
    return true;
  const auto answered = state.answered.find(worker);
  return answered == state.answered.end() || now - answered->second > limits_.fresh;
}

size_t ConcurrencyLimiter::ThreadsOnSuspects(const State& state, SteadyTime now) const {
  size_t threads = 0;
  for (const auto& [worker, waiting] : state.waiting)
    if (IsSuspect(state, worker, now)) threads += waiting.size();
  return threads;
}

bool ConcurrencyLimiter::MayEnter(const State& state, const ClusterName& worker,
                                  SteadyTime now) const {
  const bool is_suspect = IsSuspect(state, worker, now);
  if (is_suspect && ThreadsOnSuspects(state, now) >= limits_.suspects) return false;
  const auto found = state.waiting.find(worker);
  if (found == state.waiting.end()) return true;
  const auto& waiting = found->second;
  // One that is silent leaves room in that budget for those that only were not asked lately.
  if (is_suspect && waiting.size() >= limits_.per_slow_worker) return false;
  const auto longest = now - *waiting.begin();
  if (state.beyond_first >= limits_.beyond_first || longest > limits_.stuck_after) return false;
  return longest <= limits_.fast_below || waiting.size() < limits_.per_slow_worker;
}

std::unique_ptr<ConcurrencyLimiter::Permit> ConcurrencyLimiter::TryEnter(
    const ClusterName& worker) {
  const SteadyTime now = clock_.Steady();
  const bool entered = state_.With([&](State& state) {
    if (!MayEnter(state, worker, now)) return false;
    auto& waiting = state.waiting[worker];
    if (!waiting.empty()) ++state.beyond_first;
    waiting.insert(now);
    return true;
  });
  return entered ? std::make_unique<Permit>(*this, worker, now) : nullptr;
}

Result<std::unique_ptr<ConcurrencyLimiter::Permit>> ConcurrencyLimiter::Enter(
    const ClusterName& worker) {
  auto permit = TryEnter(worker);
  if (permit != nullptr) return permit;
  Error busy{ErrorCode::kUnavailable, worker.value + " is busy or slow to answer", std::nullopt,
             kBusy};
  return Fail(std::move(busy));
}

size_t ConcurrencyLimiter::held() const {
  return state_.With([](const State& state) {
    size_t threads = 0;
    for (const auto& [worker, waiting] : state.waiting) threads += waiting.size();
    return threads;
  });
}

void ConcurrencyLimiter::Leave(const ClusterName& worker, SteadyTime since) {
  const SteadyTime now = clock_.Steady();
  state_.With([&](State& state) {
    if (now - since <= limits_.stuck_after) state.answered[worker] = now;
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

void ConcurrencyLimiter::Forget(const ClusterName& worker) {
  state_.With([&](State& state) { state.answered.erase(worker); });
}

}  // namespace fedra::reconcile
