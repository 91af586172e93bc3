#pragma once
//
// Kueue 0.19.2 as far as a federation manager can tell: the same actor serves the manager and the
// workers, as the same program does in real clusters. It keeps LocalQueues and ClusterQueues
// active, makes Workloads for Jobs, reserves quota, asks admission checks, admits, starts and stops
// Jobs, adopts prebuilt Workloads, evicts, requeues and finishes; conditions, reasons and messages
// are Kueue's own.
//
// Left out: preemption, cohorts, borrowing, places in a topology, priorities, events, usage
// counts in the status of queues.
//
// Thread rules: any thread but the engine's own. Lifetime: must be destroyed before its server.

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "base/types.h"
#include "tests/sim/server.h"

namespace fedra::sim {

struct KueueOptions {
  // From the moment a Workload could reserve quota until it does.
  std::chrono::milliseconds admission_latency{0};
  // False: no Workload gets quota until it is true again, as when the cluster is full or Kueue is
  // stopped.
  bool admit = true;
  // Jobs with a queue-name label and no managedBy get Kueue's MultiKueue value at creation, as the
  // MutatingAdmissionPolicy of deploy/ does.
  bool default_managed_by = false;
  // The gate WorkloadIdentifierAnnotations. False, as in 0.17: a copy names its Workload by its
  // label alone.
  bool identifier_annotations = true;
  // deviceClassMappings: DeviceClass to quota resource. Empty: Kueue's DRA support is off, devices
  // are ignored.
  std::map<std::string, std::string> device_classes;
};

class Kueue final {
 public:
  explicit Kueue(Server& server, KueueOptions options = {});
  ~Kueue();

  void SetOptions(KueueOptions options);
  KueueOptions options() const;

  // Evicts an admitted Workload, for example with reason "Preempted". False: it has no quota.
  bool Evict(const ObjectKey& workload, const std::string& reason, const std::string& message);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
