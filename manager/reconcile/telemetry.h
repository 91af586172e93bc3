#pragma once
//
// What the reconciler tells the metrics. A seam, so that reconcile/ does not know Prometheus.
//
// Thread rules: every function may be called from any thread and must be quick.

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "verdict/verdict.h"

namespace fedra::reconcile {

// Blocked workloads that share a reason.
struct BlockedFacts {
  int count = 0;
  std::chrono::milliseconds longest{0};  // of those, since its quota was reserved

  bool operator==(const BlockedFacts&) const = default;
};

class Telemetry {
 public:
  virtual ~Telemetry() = default;
  // A clone was created on a worker, or could not be. `result` is "ok" or an ErrorCode's name.
  virtual void Dispatched(const ClusterName& cluster, std::string_view result) = 0;
  // A worker admitted a workload and won, so long after its quota was reserved on the manager.
  virtual void Placed(const ClusterName& cluster, std::chrono::nanoseconds waited) = 0;
  // A workload was judged against one worker.
  virtual void Judged(const ClusterName& cluster, const verdict::Verdict& verdict) = 0;
  // One look at one workload has seen so many workers: all while one is looked for, else those that
  // may have copies of it.
  virtual void LookedAt(size_t workers) = 0;
  // One workload was judged, on as many workers as its look concerned.
  virtual void Verified(std::chrono::nanoseconds duration) = 0;
  // One look at one workload, writes included. `result` is "ok" or an ErrorCode's name.
  virtual void Reconciled(std::string_view result, std::chrono::nanoseconds duration) = 0;
  // Devices were assumed for a workload that had none anywhere: it has left its line, whatever
  // becomes of the writes that follow. Called in the order of the decisions.
  virtual void Assumed(const ObjectKey& workload) = 0;
  // A workload may be dispatched ahead of others that could not be asked in time
  // (placement::Lines::Answer).
  virtual void PassedUnasked() = 0;
  // A workload was taken from a worker that stayed away.
  virtual void WorkerLost(const ClusterName& cluster) = 0;
};

}  // namespace fedra::reconcile
