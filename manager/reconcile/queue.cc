#include "manager/reconcile/queue.h"

#include <algorithm>
#include <utility>

namespace fedra::reconcile {
namespace {

// The longest sleep of an idle thread; a Notify wakes it earlier.
constexpr std::chrono::seconds kLongestWait{60};

}  // namespace

void Queue::AddNow(State& state, const ObjectKey& key) {
  if (state.stopping || !state.dirty.insert(key).second) return;
  if (!state.working.contains(key)) state.ready.push_back(key);
}

void Queue::Add(const ObjectKey& key) {
  state_.With([&](State& state) { AddNow(state, key); });
  state_.Notify();
}

void Queue::AddAt(const ObjectKey& key, SteadyTime when) {
  state_.With([&](State& state) {
    const auto [due, is_new] = state.due.try_emplace(key, when);
    if (!is_new && due->second <= when) return;
    due->second = when;
    state.later.emplace(when, key);
  });
  state_.Notify();
}

void Queue::Promote(State& state) const {
  const SteadyTime now = clock_.Steady();
  while (!state.later.empty() && state.later.begin()->first <= now) {
    const auto first = state.later.begin();
    const auto due = state.due.find(first->second);
    // An entry that an earlier one has overtaken is stale.
    if (due != state.due.end() && due->second == first->first) {
      AddNow(state, first->second);
      state.due.erase(due);
    }
    state.later.erase(first);
  }
}

std::optional<ObjectKey> Queue::Get() {
  while (true) {
    SteadyTime next = clock_.Steady() + kLongestWait;
    std::optional<ObjectKey> key;
    const bool stopped = state_.With([&](State& state) {
      Promote(state);
      if (!state.later.empty()) next = std::min(next, state.later.begin()->first);
      if (state.stopping || state.ready.empty()) return state.stopping;
      key = std::move(state.ready.front());
      state.ready.pop_front();
      state.dirty.erase(*key);
      state.working.insert(*key);
      return false;
    });
    if (stopped) return std::nullopt;
    if (key) return key;
    state_.WaitFor(
        next - clock_.Steady(),
        [&](const State& state) {
          return state.stopping || !state.ready.empty() ||
                 (!state.later.empty() && state.later.begin()->first < next);
        },
        [](State&) {});
  }
}

void Queue::Done(const ObjectKey& key) {
  state_.With([&](State& state) {
    state.working.erase(key);
    if (state.dirty.contains(key)) state.ready.push_back(key);
  });
  state_.Notify();
}

void Queue::Stop() {
  state_.With([](State& state) { state.stopping = true; });
  state_.Notify();
}

size_t Queue::depth() const {
  return state_.With([](const State& state) { return state.ready.size(); });
}

}  // namespace fedra::reconcile
