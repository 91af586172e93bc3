#include "cluster-clients/watch/pool_share.h"

#include <utility>

#include "base/worker_pool.h"

namespace fedra::watch {

void PoolShare::Submit(std::function<void()> task) {
  const bool has_room = state_.With([&](State& state) {
    if (state.handed >= at_once_) {
      state.waiting.push_back(std::move(task));
      return false;
    }
    ++state.handed;
    return true;
  });
  if (has_room) Hand(std::move(task));
}

void PoolShare::Hand(std::function<void()> task) {
  pool_.Submit([self = shared_from_this(), task = std::move(task)]() mutable {
    task();
    task = nullptr;  // what it holds may call Submit when destroyed
    self->OnRun();
  });
}

void PoolShare::OnRun() {
  auto next = state_.With([](State& state) -> std::function<void()> {
    if (state.waiting.empty()) {
      --state.handed;
      return nullptr;
    }
    auto first = std::move(state.waiting.front());
    state.waiting.pop_front();
    return first;
  });
  if (next) Hand(std::move(next));
}

}  // namespace fedra::watch
