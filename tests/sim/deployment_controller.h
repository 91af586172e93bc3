#pragma once
//
// kube-controller-manager's Deployment and ReplicaSet controllers in one, as far as a scenario can
// tell: as many pods as the Deployment says, another one for each that has ended or is deleted, and
// a status that counts them. There is no ReplicaSet and no roll-out: a changed template counts for
// the pods that come after it.
//
// Thread rules: any thread but the engine's own. Lifetime: must be destroyed before its server.

#include <memory>

#include "tests/sim/server.h"

namespace fedra::sim {

class DeploymentController final {
 public:
  explicit DeploymentController(Server& server);
  ~DeploymentController();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
