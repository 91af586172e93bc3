#pragma once
//
// The work queue: which keys must be looked at, each at most once at a time.
//
// A key added while it is waiting is there once; a key added while it is being worked on comes back
// after Done(). Keys may be asked for later; the earlier time wins. (The shape of client-go's
// workqueue.)
//
// There are three lanes. What is dispatched, or has its turn, is added as next: it does not wait
// behind thousands of keys that came at once. What is no news, as all that a first list has
// brought, or that has come before anything was worked on, is backlog: what comes then does not
// wait behind it. Of each four keys that are taken from a lane or those before it one is of those
// behind it, so that no lane waits for ever.
//
// Made for the keys that run_loop.h is made for. Thread rules: any thread. Worker threads block in
// Get().

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"

namespace fedra::reconcile {

template <class Key>
class Queue final {
 public:
  // `clock` must outlive the queue; only its steady time is used.
  explicit Queue(const Clock& clock) : clock_(clock) {}

  void Add(const Key& key);
  // The same, ahead of those that were added otherwise, also where it is one of them.
  void AddNext(const Key& key);
  // The same, behind those.
  void AddBacklog(const Key& key);
  // All that is ready.
  void MakeBacklog();
  void AddAt(const Key& key, SteadyTime when);

  // The next key, now the caller's until Done(); nothing after Stop().
  std::optional<Key> Get();
  void Done(const Key& key);

  void Stop();
  // Until no key is the caller's of Get(). False: the time was over before.
  bool WaitUntilIdle(std::chrono::milliseconds limit);
  // Ready to be worked on, not counting those that wait for their time.
  size_t depth() const;
  // That are the caller's of Get().
  size_t working() const;
  // Entries, those that wait for their time included.
  size_t held() const;

  // Forgets the keys that are waiting and for which `is_dead` says so. It is asked under the
  // queue's lock: a key that comes to life afterwards and is added then is not lost. So it must not
  // touch the queue, nor wait for anything that does.
  void DropIf(const std::function<bool(const Key& key)>& is_dead);

 private:
  // The first one first.
  enum class Lane : size_t { kNext, kRest, kBacklog };
  static constexpr size_t kLanes = 3;

  void AddKey(const Key& key, Lane lane);
  void AddNow(const Key& key, Lane lane);
  // Into its lane, unless it is being worked on.
  void Line(const Key& key, Lane lane);
  // Drops keys that have changed to another lane from the front of this one.
  bool HasAny(Lane lane);
  // Moves what is due into `ready_`.
  void Promote();
  Key Take();
  // Until there may be a key to take, or a time to keep.
  void Wait(std::unique_lock<std::mutex>& lock);
  void WakeOne();

  const Clock& clock_;

  // Protects everything below. There are dozens of threads, so a key wakes one of them: an idle
  // one, or else the timer thread, the one that waits for the first time of `later_`. The
  // thread that takes a key wakes the next one when there is more to do.
  mutable std::mutex mutex_;
  std::condition_variable work_;  // idle threads
  std::condition_variable time_;  // the timer thread
  std::condition_variable done_;  // WaitUntilIdle()
  int idle_ = 0;
  bool has_timer_thread_ = false;
  bool stopping_ = false;
  std::array<std::deque<Key>, kLanes> lanes_;  // and keys that are of another one by now
  size_t ready_ = 0;                           // keys in all of them
  // Of each lane, or those before it, in a row, while there was a choice.
  std::array<int, kLanes> in_a_row_{};
  std::unordered_map<Key, Lane> dirty_;  // in its lane, or to be added again by Done()
  std::unordered_set<Key> working_;
  std::multimap<SteadyTime, Key> later_;
  std::unordered_map<Key, SteadyTime> due_;  // the earliest entry of each key in `later_`
};

}  // namespace fedra::reconcile
