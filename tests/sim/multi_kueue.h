#pragma once
//
// Kueue's own MultiKueue on the manager of a fleet, with an external dispatcher
// (pkg/controller/admissionchecks/multikueue of 0.19.2, multiKueue.dispatcherName of another): it
// follows status.nominatedClusterNames, copies to what is nominated, takes the first worker that
// admits, makes the job there and mirrors its status. It serves AdmissionChecks of its controller,
// and does nothing while there is none.
//
// It keeps the conditions of its checks and of MultiKueueClusters: connected is a worker of that
// name whose server has none of the faults that keep clients out. Kubeconfigs are not read.
//
// Left out: every kind but batch/v1 Job, priority changes, elastic jobs, waiting for a worker that
// was lost after it admitted, and batching: it looks at everything every few milliseconds.
//
// Thread rules: one thread of its own. Lifetime: must be destroyed before the fleet's clusters.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "tests/sim/server.h"

namespace fedra::sim {

class MultiKueue final {
 public:
  MultiKueue(Server& manager, std::map<std::string, Server*> workers);
  ~MultiKueue();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
