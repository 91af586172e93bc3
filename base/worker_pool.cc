#include "base/worker_pool.h"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.h"

namespace fedra {

WorkerPool::WorkerPool(size_t threads) {
  threads_.reserve(std::max<size_t>(threads, 1));
  for (size_t i = 0; i < std::max<size_t>(threads, 1); ++i)
    threads_.push_back(StartThread([this] { Run(); }));
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Submit(std::function<void()> task) {
  state_.With([&](State& state) {
    if (!state.stopping) state.tasks.push_back(std::move(task));
  });
  state_.NotifyOne();
}

void WorkerPool::Stop() {
  // What is dropped may submit more as it is destroyed, and a running task may wait for that.
  state_.With([](State& state) {
    state.stopping = true;
    return std::exchange(state.tasks, {});
  });
  state_.Notify();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::Run() {
  while (true) {
    auto task =
        state_.Wait([](const State& state) { return state.stopping || !state.tasks.empty(); },
                    [](State& state) -> std::function<void()> {
                      if (state.stopping) return nullptr;
                      auto next = std::move(state.tasks.front());
                      state.tasks.pop_front();
                      return next;
                    });
    if (!task) return;
    task();
  }
}

}  // namespace fedra
