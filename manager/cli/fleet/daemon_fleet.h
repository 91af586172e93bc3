#pragma once
//
// The manager and the workers as the daemon sees them, for commands that say what it would do:
// `templates diff` and `migrate --check`. Lists and watches only: nothing is written.
//
// Not over LiveFleet: what decides is the daemon's own and wants the daemon's clusters.
//
// Thread rules: one user thread.

#include <chrono>
#include <string>
#include <vector>

#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/templates/template_survey.h"
#include "manager/report/as_of.h"

namespace fedra::cli {

struct DaemonFleetOptions {
  // Whether workers are judged, with all that takes; else only what copies of templates need of
  // them is read.
  bool judges = false;
  bool worker_clusters = false;  // MultiKueueClusters are read
};

class DaemonFleet final {
 public:
  DaemonFleet(const config::Loaded& loaded, const DaemonFleetOptions& options);
  ~DaemonFleet();

  // Until everything is listed or has failed, at most `limit`. Progress on a terminal after two
  // seconds.
  void Read(std::chrono::milliseconds limit, const Terminal& terminal);
  // Why nothing can be said at all: the manager; empty: something can.
  std::string Problem();
  // Workers that nothing is known about.
  std::vector<report::UnreadWorker> UnreadWorkers() const;

  reconcile::ManagerCluster& manager() { return manager_; }
  const reconcile::Gatherer& gatherer() const { return gatherer_; }
  // All that the daemon knows of the workload, and how every worker shows it.
  reconcile::Gathered Gather(const ObjectKey& workload) const;
  templates::TemplateSurvey Survey(const reconcile::TemplateSettings& settings);

 private:
  size_t Answered();

  const DaemonFleetOptions options_;
  FleetSignal signal_;
  Threads threads_{4};
  reconcile::CopyFailures failures_;
  reconcile::WorkerSet workers_;
  reconcile::ManagerCluster manager_;
  reconcile::Gatherer gatherer_;
};

}  // namespace fedra::cli
