#pragma once
//
// The manager and the workers as the daemon sees them, for `fedra templates diff`: what would be
// done about copies of ResourceClaimTemplates. Lists and watches only: nothing is written.
//
// Not over LiveFleet: the survey is the daemon's own and wants the daemon's clusters.
//
// Thread rules: one user thread.

#include <chrono>

#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/template_survey.h"

namespace fedra::cli {

class TemplateFleet final {
 public:
  explicit TemplateFleet(const config::Loaded& loaded);
  ~TemplateFleet();

  // Until everything is listed or has failed, at most `limit`.
  void Read(std::chrono::milliseconds limit);
  reconcile::TemplateSurvey Survey(const reconcile::TemplateSettings& settings);

 private:
  bool HasAnswered();

  FleetSignal signal_;
  Threads threads_{4};
  reconcile::CopyFailures failures_;
  reconcile::WorkerSet workers_;
  reconcile::ManagerCluster manager_;
  reconcile::Gatherer gatherer_;
};

}  // namespace fedra::cli
