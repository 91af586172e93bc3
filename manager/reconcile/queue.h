#pragma once
//
// The work queue: which workloads must be looked at, each at most once at a time.
//
// A key added while it is waiting is there once; a key added while it is being worked on comes back
// after Done(). Keys may be asked for later; the earlier time wins. (The shape of client-go's
// workqueue.)
//
// Thread rules: any thread. Worker threads block in Get().

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"

namespace fedra::reconcile {

class Queue final {
 public:
  // `clock` must outlive the queue; only its steady time is used.
  explicit Queue(const Clock& clock) : clock_(clock) {}

  void Add(const ObjectKey& key);
  void AddAt(const ObjectKey& key, SteadyTime when);

  // The next key, now the caller's until Done(); nothing after Stop().
  std::optional<ObjectKey> Get();
  void Done(const ObjectKey& key);

  void Stop();
  // Ready to be worked on, not counting those that wait for their time.
  size_t depth() const;

 private:
  struct State {
    std::deque<ObjectKey> ready;
    std::unordered_set<ObjectKey> dirty;  // in `ready`, or to be added again by Done()
    std::unordered_set<ObjectKey> working;
    std::multimap<SteadyTime, ObjectKey> later;
    std::unordered_map<ObjectKey, SteadyTime> due;  // the earliest entry of each key in `later`
    bool stopping = false;
  };

  static void AddNow(State& state, const ObjectKey& key);
  // Moves what is due into `ready`.
  void Promote(State& state) const;

  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace fedra::reconcile
