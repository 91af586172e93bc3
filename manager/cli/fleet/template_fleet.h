#pragma once
//
// The manager and the workers as the daemon sees them, for `fedra templates diff`: what would be
// done about copies of ResourceClaimTemplates. Lists and watches only: nothing is written.
//
// Not over LiveFleet: the survey is the daemon's own and wants the daemon's clusters.
//
// Thread rules: one user thread.

#include <chrono>
#include <string>
#include <vector>

#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/template_survey.h"
#include "manager/report/as_of.h"

namespace fedra::cli {

// A worker's template that is neither the manager's nor fedra's: only its owner changes it.
struct LeftAlone {
  std::string worker;
  ObjectKey key;
  std::string difference;
};

class TemplateFleet final {
 public:
  explicit TemplateFleet(const config::Loaded& loaded);
  ~TemplateFleet();

  // Until everything is listed or has failed, at most `limit`.
  void Read(std::chrono::milliseconds limit);
  // Why nothing can be said; empty: something can.
  std::string Problem();
  std::vector<reconcile::TemplateStep> Survey(const reconcile::TemplateSettings& settings);
  // What a person might expect to be replaced, too.
  std::vector<LeftAlone> LeftAloneIn(const reconcile::TemplateSettings& settings) const;
  // Workers that nothing is known about, and why.
  std::vector<report::UnreadWorker> Unread() const;

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
