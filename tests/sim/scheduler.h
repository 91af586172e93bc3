#pragma once
//
// What turns pods into running pods on a worker that has nodes: kube-scheduler with devices, the
// ResourceClaim controller, and a kubelet that starts whatever is bound at once.
//
// Claims are made from templates as kube-controller-manager does, allocated together with the
// choice of a node, reserved for their pods, and freed when the pods end. A pod that fits nowhere
// says so in its PodScheduled condition and is looked at again when nodes, slices, classes, claims,
// rules or other pods change.
//
// Costs nothing on a cluster without nodes: no controller makes pods there (job_controller.h).
//
// Thread rules: any thread but the engine's own. Lifetime: must be destroyed before its server.

#include <memory>

#include "tests/sim/server.h"

namespace fedra::sim {

class Scheduler final {
 public:
  explicit Scheduler(Server& server);
  ~Scheduler();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
