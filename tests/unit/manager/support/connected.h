#pragma once
//
// A manager and workers, connected to simulated API servers on which nothing acts by itself.
//
// Thread rules: the test's thread. The servers are up as long as this lives.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/manager_cluster.h"
#include "tests/sim/server.h"

namespace fedra::reconcile {

struct ConnectedOptions {
  std::vector<std::string> workers = {"east", "west"};
  sim::ServerOptions server;  // of every worker; the name is set
  sim::Faults faults;         // of every worker, from the beginning
  std::string token = "admin-token";
  bool devices = true;
  tracking::JobKindsPtr kinds = tracking::BuiltInKinds();  // of every cluster
  // Every cluster has the CRDs of other kinds, and Kubeflow's are read.
  bool serves_kubeflow = false;
  std::optional<WallTime> lost_since;
  bool keeps_rejected = false;
};

class Connected final {
 public:
  // `clock` must outlive it. Nothing connects before Start().
  explicit Connected(const ConnectedOptions& options = {}, const Clock& clock = SystemClock());
  ~Connected();

  // Returns when every worker and the manager are listed. Each cluster has namespace ml, LocalQueue
  // gpu and DeviceClass gpu.example.com (sim::Furnish).
  void Start();

  sim::Server& manager_server() { return manager_server_; }
  ManagerCluster& manager() { return *manager_; }
  const WorkerSet& workers() const { return set_; }
  sim::Server& server(size_t worker) { return *servers_[worker]; }
  Worker& worker(size_t worker) { return *workers_[worker]; }

  // False: `holds` was not true within ten seconds. Asked after everything that the clusters tell.
  bool WaitUntil(const std::function<bool()>& holds);
  // How often a worker has reported a batch/v1 Job, or of a workload, of this name.
  int ToldOfJob(const ObjectKey& key) const;
  int ToldOfWorkload(const ObjectKey& workload) const;
  // How often the manager has reported its checks, and whose orders.
  int ToldOfChecks() const { return checks_.Copy(); }
  std::vector<std::set<ObjectKey>> ToldOfOrders() const { return orders_.Copy(); }
  // Of whose queues' AdmissionChecks.
  std::vector<std::set<ObjectKey>> ToldOfQueueChecks() const { return queue_checks_.Copy(); }

 private:
  WorkerListener ListenTo();
  ManagerListener ListenToManager();
  void Told();

  Guarded<int> told_;
  Guarded<std::map<tracking::JobKey, int>> jobs_;
  Guarded<std::map<ObjectKey, int>> workloads_;
  Guarded<int> checks_;
  Guarded<std::vector<std::set<ObjectKey>>> orders_;
  Guarded<std::vector<std::set<ObjectKey>>> queue_checks_;
  Threads threads_{4};
  sim::Server manager_server_;
  std::vector<std::unique_ptr<sim::Server>> servers_;
  std::unique_ptr<ManagerCluster> manager_;
  Workers workers_;
  WorkerSet set_;
};

// A job and its Workload `key`, which has quota since kReserved and waits for the check "fedra".
// `pod`: of its pods' spec, in place of, or beside, a container that asks for nothing.
inline constexpr const char* kReserved = "2026-11-21T16:00:00Z";
void AddWaitingWorkload(sim::Server& manager, const ObjectKey& key,
                        const nlohmann::json& pod = nlohmann::json::object(),
                        const std::string& job_name = "train", int pods = 1);

// Makes LocalQueue gpu Active, as Kueue would.
void ActivateQueue(sim::Server& server);

// One node of the worker with so many devices of driver gpu.example.com: "gpu-0", ...
void AddDevices(sim::Server& server, int devices);

// A ResourceClaim of another user that so many of them are allocated to, from "gpu-0" on. They
// are free again when it is deleted.
void AddClaimInUse(sim::Server& server, const ObjectKey& key, int devices);

}  // namespace fedra::reconcile
