#pragma once
//
// Runs functions one after the other, in order, on whichever worker is free: a thread that costs
// nothing while idle.
//
// Thread rules: every function may be called from any thread. Functions must not throw.
// Lifetime: owned by a shared_ptr; what has not begun when the last one goes is dropped. After
// Close() no function runs and none is running, unless Close() was called from one of them.

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "cluster-clients/watch/pool_share.h"

namespace fedra::watch {

class SerialQueue final : public std::enable_shared_from_this<SerialQueue> {
 public:
  explicit SerialQueue(std::shared_ptr<PoolShare> workers) : workers_(std::move(workers)) {}

  void Submit(std::function<void()> task);
  // Drops what has not begun and waits for what is running.
  void Close();

 private:
  struct State {
    std::deque<std::function<void()>> tasks;
    bool scheduled = false;  // a worker has been asked to come
    bool closed = false;
    std::thread::id running;  // the worker that is inside a task
  };

  void Schedule();
  void RunOne();

  const std::shared_ptr<PoolShare> workers_;
  Guarded<State> state_;
};

}  // namespace fedra::watch
