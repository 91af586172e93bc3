#pragma once
//
// The part of a WorkerPool that one cluster may use: so many of its functions run or wait there at
// a time, the others wait here. The pool is first come, first served, so a cluster that floods us
// delays the others by its share, however much it sends.
//
// Thread rules: any thread. Functions must not throw, nor wait for another function of the same
// share that has not begun. Lifetime: the pool must outlive it; owned by a shared_ptr.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "base/guarded.h"

namespace fedra {
class WorkerPool;
}

namespace fedra::watch {

class PoolShare final : public std::enable_shared_from_this<PoolShare> {
 public:
  // `at_once`: at least 1.
  PoolShare(WorkerPool& pool, size_t at_once) : pool_(pool), at_once_(at_once) {}

  void Submit(std::function<void()> task);

 private:
  struct State {
    std::deque<std::function<void()>> waiting;
    size_t handed = 0;  // to the pool, and not run yet
  };

  void Hand(std::function<void()> task);
  void OnRun();

  WorkerPool& pool_;
  const size_t at_once_;
  Guarded<State> state_;
};

}  // namespace fedra::watch
