#pragma once
//
// Runs a reconcile function for every key that is added: a queue, the threads that empty it, and
// the back-off after failures. (The shape of kube-rs' runner and of controller-runtime's
// controller.)
//
// A key added twice runs once; one added while it runs, runs again afterwards; no key is ever run
// by two threads at a time. Keys may be added before Start().
//
// Keys are ObjectKey (workloads, templates) or std::string (names of AdmissionChecks).
//
// Thread rules: Start, Stop and Join from one thread, the rest from any. Order of an end: Stop();
// then, if running keys may finish, WaitUntilIdle(); then what the reconcile function waits for is
// stopped; then Join(). Lifetime: `clock` must outlive the loop, and what `reconcile` refers to
// must outlive Join().

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "manager/reconcile/queue.h"
#include "manager/reconcile/retry.h"

namespace fedra::reconcile {

struct RunLoopOptions {
  std::string_view subject;  // what a key is, as the field of log lines: "workload"
  size_t threads = 1;        // at least one
  // When to run a key again that has failed so often in a row.
  std::function<Retry(const Error& error, int failures)> retry = &RetryAfter;
  // The job behind a workload's key, for log lines: people know jobs; empty: none is known.
  std::function<std::string(const ObjectKey& key)> job_of = {};
};

template <class Key>
class RunLoop final {
 public:
  using Reconcile = std::function<Result<void>(const Key& key)>;

  RunLoop(RunLoopOptions options, const Clock& clock, Reconcile reconcile);
  ~RunLoop();  // Stop() and Join()

  void Add(const Key& key) { queue_.Add(key); }
  void AddAll(const std::vector<Key>& keys);
  // As of Queue::AddNext.
  void AddNext(const Key& key) { queue_.AddNext(key); }
  void AddAllNext(const std::vector<Key>& keys);
  // As of Queue::AddBacklog.
  void AddBacklog(const Key& key) { queue_.AddBacklog(key); }
  void AddAllBacklog(const std::vector<Key>& keys);
  // Not before `when`, unless it is added for an earlier time, too.
  void AddAt(const Key& key, SteadyTime when) { queue_.AddAt(key, when); }
  void AddAfter(const Key& key, SteadyTime::duration delay);

  // What was added before is backlog: while a standby waits that is all.
  void Start();
  // No further key is begun.
  void Stop() { queue_.Stop(); }
  // Whether every running key ended within `limit`.
  bool WaitUntilIdle(std::chrono::milliseconds limit);
  void Join();

  // Keys that are ready to run.
  size_t depth() const { return queue_.depth(); }
  // Keys that are being run, each by a thread.
  size_t working() const { return queue_.working(); }
  // Those that wait for their time, too.
  size_t held() const { return queue_.held(); }
  // Runs that have ended, well or not, since the start: a caller that polls sees
  // whether there are more.
  uint64_t turns() const { return turns_.load(); }
  // As of Queue::DropIf.
  void DropIf(const std::function<bool(const Key& key)>& is_dead) { queue_.DropIf(is_dead); }

 private:
  void Work();
  void Run(const Key& key);
  void RunAgain(const Key& key, const Error& error);

  // Constant after construction.
  const RunLoopOptions options_;
  const Clock& clock_;
  const Reconcile reconcile_;

  // Guarded.
  Queue<Key> queue_;
  Guarded<std::unordered_map<Key, int>> failures_;  // consecutive
  std::atomic<uint64_t> turns_{0};

  // Of the thread that starts and joins.
  std::vector<std::thread> threads_;
};

}  // namespace fedra::reconcile
