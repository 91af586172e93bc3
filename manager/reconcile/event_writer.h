#pragma once
//
// Writes events.k8s.io/v1 Events about Workloads and their jobs to the manager, in the background.
//
// The same event again becomes a series: one object, counted. How many are written about one object
// is bounded (event_correlator.h), and so is the queue; what does not fit is dropped, because
// Events tell people what the store's history keeps anyway.
//
// Thread rules: any thread. Lifetime: the cluster must outlive it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/worker_pool.h"
#include "cluster-clients/cluster.h"
#include "manager/reconcile/event_correlator.h"

namespace fedra::reconcile {

// The object an Event is about.
struct Regarding {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  std::string uid;
};

// Who reports, as events.k8s.io/v1 has it.
struct EventReporter {
  std::string controller;  // reportingController: kueue.controllerName
  std::string instance;    // reportingInstance: this replica, at most 128 bytes
};

class EventWriter final {
 public:
  EventWriter(EventReporter reporter, Cluster& cluster, const Clock& clock);
  ~EventWriter();

  void Emit(const Regarding& regarding, std::string_view reason, bool is_warning,
            std::string message);
  // Takes no more, and writes what is queued; what is not written within a third of `limit` is
  // dropped. Whether nothing was under way any more when it was over.
  bool Finish(std::chrono::milliseconds limit);
  // Stops writing; what is queued is dropped.
  void Stop();
  // Events that were not written because of these bounds, since the start.
  uint64_t dropped() const { return dropped_.load(); }

 private:
  struct Pending {
    Regarding regarding;
    std::string reason;
    bool is_warning = false;
    std::string message;
    EventCorrelator::Written written;
    WallTime at{};
  };
  struct State {
    EventCorrelator correlator;
    std::deque<Pending> queue;
    bool writing = false;                         // a task is in the pool
    bool stopping = false;                        // takes no more
    std::unordered_map<std::string, int> series;  // event -> how often it was written; bounded
  };

  void Drain();
  void Write(const Pending& event);
  // As often as it has happened.
  Result<std::string> Create(const ObjectKey& key, const Pending& event, const std::string& now);
  Result<std::string> Repeat(const ObjectKey& key, int count, const std::string& now);

  // Constant after construction.
  const EventReporter reporter_;
  Cluster& cluster_;
  const Clock& clock_;

  Guarded<State> state_;
  std::atomic<uint64_t> dropped_{0};
  WorkerPool pool_{1};
};

}  // namespace fedra::reconcile
