#include "cluster-clients/watch/serial_queue.h"

#include <utility>

namespace fedra::watch {

void SerialQueue::Submit(std::function<void()> task) {
  const bool schedule = state_.With([&](State& state) {
    if (state.closed) return false;
    state.tasks.push_back(std::move(task));
    return !std::exchange(state.scheduled, true);
  });
  if (schedule) Schedule();
}

// Not an owner: what waits in the share when its pool ends would keep this queue, and it the share.
void SerialQueue::Schedule() {
  workers_->Submit([queue = weak_from_this()] {
    if (const auto self = queue.lock()) self->RunOne();
  });
}

// One task at a time, so that a busy queue does not keep a worker from the others.
void SerialQueue::RunOne() {
  auto task = state_.With([](State& state) -> std::function<void()> {
    if (state.tasks.empty()) return nullptr;
    auto next = std::move(state.tasks.front());
    state.tasks.pop_front();
    state.running = std::this_thread::get_id();
    return next;
  });
  if (task) task();
  task = nullptr;  // what it holds may call Submit when destroyed
  const bool more = state_.With([](State& state) {
    state.running = {};
    state.scheduled = !state.tasks.empty();
    return state.scheduled;
  });
  state_.Notify();
  if (more) Schedule();
}

void SerialQueue::Close() {
  const auto me = std::this_thread::get_id();
  std::deque<std::function<void()>> dropped;
  state_.With([&](State& state) {
    state.closed = true;
    dropped = std::exchange(state.tasks, {});
  });
  state_.Wait(
      [&](const State& state) { return state.running == std::thread::id() || state.running == me; },
      [](State&) {});
}

}  // namespace fedra::watch
