#pragma once
//
// Work for a pool, in turn by whom it is for: of two who wait each is next after one piece of the
// other's, however much that one has asked for. Of one the first comes first.
//
// Thread rules: any thread. Lifetime: the pool must outlive it; what waits when the pool stops is
// dropped with it.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "base/worker_pool.h"

namespace fedra::httpd {

class Turns final {
 public:
  explicit Turns(WorkerPool& pool) : pool_(pool) {}

  void Submit(const std::string& whose, std::function<void()> work);

 private:
  struct State {
    std::map<std::string, std::deque<std::function<void()>>> waiting;  // of none an empty one
    std::deque<std::string> next;                                      // of whom something waits
  };

  WorkerPool& pool_;
  const std::shared_ptr<Guarded<State>> state_ = std::make_shared<Guarded<State>>();
};

}  // namespace fedra::httpd
