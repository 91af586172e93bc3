#pragma once
//
// What a process does that takes over from the leader before: of what its caches hold, and of what
// its store knows, that one's work is the newer. What a leader decides by and writes is listed
// again, what the store remembered of placements is dropped, and an outage goes on that the leader
// before has noted. From then on this process notes outages for the next one.
//
// Listed again is what decisions of the manager wait for, and on each worker Workloads and the jobs
// of every kind: where copies are must be known as of now, for a write that is overlooked lets a
// job run twice. A leader's own writes are seen at once (TrackedCache), those of the leader before
// only when a watch or a list shows them. Its last writes have ended before this process leads
// (write_gate.h); one that has not all the same comes by the watch that begins at the list.
//
// The rest of a worker stays warm: devices, nodes, pods, claims, classes, queues. No fedra writes
// them, a watch leaves nothing out, and how late it may be is the same for a leader that stays.
// Verdicts follow from them, and which worker comes first, never where a copy is; a late one costs
// a wait. What pods of the last copies will take a list shows no sooner: it is assumed, which
// follows from clones and jobs (placement/assumption.h). Copies of templates are written, too, each
// bound to the resourceVersion that was seen, or to there being none: a late look gets a 409.
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
