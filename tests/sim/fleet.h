#pragma once
//
// A manager and its workers in one process, on one engine: servers with their actors, and on
// request the objects with which a Job can run at once.
//
// Thread rules: any thread but the engine's own; not two threads at a time.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/deployment_controller.h"
#include "tests/sim/job_controller.h"
#include "tests/sim/job_operators.h"
#include "tests/sim/kueue.h"
#include "tests/sim/multi_kueue.h"
#include "tests/sim/scheduler.h"
#include "tests/sim/server.h"

namespace fedra::sim {

struct FleetOptions {
  std::vector<std::string> workers = {"worker1", "worker2"};
  size_t threads = 1;
  // Install what Furnish installs.
  bool furnished = true;
  ServerOptions server;  // of every cluster; the name is set
  // Of the cluster of this name only, as clusters differ in that: serve what Kubernetes 1.36 does
  // not serve by default, DeviceTaintRules and PodGroups.
  std::string alpha_on;
  KueueOptions kueue;
  JobOptions jobs;
  // The manager's Kueue has MultiKueue, which waits for AdmissionChecks of its own.
  bool multi_kueue = false;
};

// One cluster with everything that lives in it.
class Cluster final {
 public:
  Cluster(ServerOptions server_options, const KueueOptions& kueue_options,
          const JobOptions& job_options, std::shared_ptr<Engine> engine);

  Server server;
  Kueue kueue;
  JobController jobs;
  DeploymentController deployments;
  JobOperators operators;
  Scheduler scheduler;
};

class Fleet final {
 public:
  explicit Fleet(FleetOptions options = {});

  Cluster& manager() { return *manager_; }
  // By name; the manager is "manager". Null pointer: no such cluster.
  Cluster* Find(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  // Whether the manager's Kueue has MultiKueue, from now on.
  void SetMultiKueue(bool on);

 private:
  std::shared_ptr<Engine> engine_;
  std::vector<std::string> names_;
  std::unique_ptr<Cluster> manager_;
  std::vector<std::unique_ptr<Cluster>> workers_;
  std::unique_ptr<MultiKueue> multi_kueue_;  // ends before the clusters
};

// What an administrator sets up for a team: namespace ml, LocalQueue gpu, ClusterQueue gpu with one
// flavor and plenty of quota for cpu, memory and pods. On the manager the ClusterQueue asks the
// AdmissionCheck fedra (controller fedra.dev/federation); on workers there is also the DeviceClass
// gpu.example.com and the template one-gpu.
void Furnish(Server& server, bool manager);

// A Job of queue ml/gpu whose pods each want a claim from the template; empty: none.
Json MakeJob(const std::string& name, const std::string& claim_template = "one-gpu");

}  // namespace fedra::sim
