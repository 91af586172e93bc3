#pragma once
//
// What a process does that takes over from the leader before: of what its caches hold, and of what
// its store knows, that one's work is the newer. All is listed again, what the store remembered of
// placements is dropped, and an outage goes on that the leader before has noted. From then on this
// process notes outages for the next one.
//
// A process that is alone with its manager takes nothing over, and notes nothing.
//
// Thread rules: HasLastedFor from any thread; the rest from the thread of Federation::Tick.
// Lifetime: the parts must outlive it.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "manager/reconcile/cluster_rows.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/reconcile/placement_store.h"
#include "manager/reconcile/run_loop.h"
#include "manager/reconcile/shared_outages.h"
#include "manager/reconcile/status_writer.h"
#include "manager/reconcile/worker_set.h"
#include "manager/reconcile/workload_reconciler.h"

namespace fedra::reconcile {

struct TakeOverSettings {
  bool shares_outages = false;  // there is a ConfigMap for them
  std::chrono::milliseconds worker_lost_timeout{};
};

struct TakeOverParts {
  ManagerCluster& manager;
  const WorkerSet& workers;
  PlacementStore& placements;
  const StatusWriter& status_writer;
  WorkloadReconciler& workloads;
  RunLoop<ObjectKey>& workload_loop;
  const ClusterRows& cluster_rows;
  SharedOutages& outages;
  RunLoop<std::string>& outage_loop;  // which runs SharedOutages::Run()
  const Clock& clock;
};

class TakeOver final {
 public:
  TakeOver(TakeOverSettings settings, TakeOverParts parts);

  // This process may decide: what comes begins as after a start with an empty store. Once.
  void Begin();
  bool has_begun() const { return has_begun_; }
  // Whether some list that is made anew has still to begin.
  bool IsRelisting() const;
  // Whether it is still to be read what the leader before has noted of outages.
  bool AwaitsOutages() const;
  // Before the first decision: what that leader has noted counts.
  void InheritOutages();
  // For the process that takes over next.
  void NoteOutages();
  // Whether it began longer ago than that.
  bool HasLastedFor(SteadyTime::duration limit) const;

 private:
  // Constant after construction.
  const TakeOverSettings settings_;
  const TakeOverParts parts_;

  std::atomic<SteadyTime> began_{SteadyTime::max()};

  // Of the thread of Federation::Tick.
  bool has_begun_ = false;
  std::vector<std::weak_ptr<const void>> relisting_;
};

}  // namespace fedra::reconcile
