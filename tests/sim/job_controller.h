#pragma once
//
// kube-controller-manager's Job controller: Jobs that are not suspended run for a while and
// succeed, or fail, as their annotations say. On a cluster with nodes it makes pods and counts
// those that scheduler.h has started; without nodes it pretends, and pods cost nothing.
//
//   sim.fedra.dev/run-for: "2s"        how long the pods run (default JobOptions::run_for);
//   "forever" is possible sim.fedra.dev/result: "failure"    how the Job ends (default: success)
//
// Without nodes, pods that reference a ResourceClaimTemplate, ResourceClaim or DeviceClass that
// does not exist stay pending: active and not ready. Jobs with another managedBy are left alone.
//
// Thread rules: any thread but the engine's own. Lifetime: must be destroyed before its server.

#include <chrono>
#include <memory>

#include "tests/sim/server.h"

namespace fedra::sim {

struct JobOptions {
  std::chrono::milliseconds run_for{1000};     // negative: forever
  std::chrono::milliseconds start_latency{0};  // from unsuspended to ready
  // Make Pod objects on clusters without nodes too. They cost, and most tests only look at the Job.
  bool pods = false;
};

class JobController final {
 public:
  explicit JobController(Server& server, JobOptions options = {});
  ~JobController();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
