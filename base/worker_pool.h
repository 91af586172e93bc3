#pragma once
//
// A fixed number of threads that run submitted functions in the order they came.
//
// Thread rules: Submit may be called from any thread, also from a running function. Functions must
// not throw. Lifetime: Stop() (also run by the destructor) lets running functions finish and drops
// the queued ones.

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/guarded.h"

namespace fedra {

class WorkerPool final {
 public:
  // At least one thread.
  explicit WorkerPool(size_t threads);
  ~WorkerPool();

  void Submit(std::function<void()> task);
  void Stop();
  size_t threads() const { return threads_.size(); }

 private:
  struct State {
    std::deque<std::function<void()>> tasks;
    bool stopping = false;
  };

  void Run();

  Guarded<State> state_;
  std::vector<std::thread> threads_;
};

}  // namespace fedra
