#pragma once
//
// The ring: looks at one workload and does what is due, gather -> line -> decide -> reserve ->
// record -> execute.
//
// Level-based: the answer depends on what is seen now, never on the event that woke it.
//
// Thread rules: any thread, one workload by one thread at a time (the run loop sees to that).
// Lifetime: everything given at construction must outlive it.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "manager/reconcile/copy_places.h"
#include "manager/reconcile/dispatch_order.h"
#include "manager/reconcile/execute.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/phase_counter.h"
#include "manager/reconcile/placement_store.h"
#include "manager/reconcile/record_keeper.h"
#include "manager/reconcile/reserve.h"
#include "manager/reconcile/run_loop.h"
#include "manager/reconcile/status_writer.h"
#include "manager/reconcile/telemetry.h"
#include "manager/reconcile/wake_index.h"

namespace fedra::reconcile {

struct WorkloadSettings {
  placement::Policy policy;
  // Whether devices, and quota, are reserved for workloads that were dispatched.
  bool devices = false;
  bool quota = false;
};

// What one look has to work with.
struct WorkloadParts {
  const Gatherer& gatherer;
  WakeIndex& wake_index;
  CopyPlaces& places;
  DispatchOrder& order;
  PlacementStore& placements;
  RecordKeeper& records;
  StatusWriter& status_writer;
  Executor& executor;
  RunLoop<ObjectKey>& loop;  // for later looks
  PhaseCounter& phases;
  Telemetry& telemetry;
  const Clock& clock;
};

class WorkloadReconciler final {
 public:
  WorkloadReconciler(WorkloadSettings settings, WorkloadParts parts);

  Result<void> Reconcile(const ObjectKey& key);

  // What was reported before now is not known. Before the loop starts.
  void ForgetReports() { kept_since_ = parts_.clock.Now(); }

 private:
  struct Seen {
    WallTime now{};  // of the look
    Gathered gathered;
    placement::PlacementRecord record;
    // What is remembered of it, without what is to be forgotten; nothing: it is kept as it is.
    std::optional<store::PlacementRow> rewritten;
    DispatchOrder::Versions as_of;  // before the look
    // Where copies of it may be, or devices may be assumed for it.
    std::set<ClusterName> places;
    std::set<ClusterName> passes_unasked;  // placement::Lines::Answer
  };

  // Reads. All that it changes is that a look has begun: from now on events count for the next one.
  Seen Gather(const ObjectKey& key);
  // What another replica has left of it, where nothing is remembered.
  void Inherit(Seen& seen, store::PlacementRow& row) const;
  // What is remembered of it.
  void Remember(const ObjectKey& key, Seen& seen, store::PlacementRow row);
  // Workers that others get first, or that a move has left, become a No.
  void Restrict(Seen& seen);
  // Where it is in line, and who goes first there.
  std::map<ClusterName, placement::LineAnswer> AskLines(Seen& seen);
  // Who would, were a job that is to be moved taken back now.
  std::map<ClusterName, placement::LineAnswer> AskForMove(const Seen& seen);
  placement::Decision Decide(const Seen& seen) const;
  ReserveRequest WantedBy(const Seen& seen, std::set<ClusterName> dispatched) const;
  // Assumes on the workers that the decision dispatches to. False: something else was assumed there
  // meanwhile, and the verdicts may be wrong by now.
  bool Reserve(Seen& seen, const placement::Decision& decision);
  // Tells the lines where the decision sends it, if that says anything to those behind it.
  void LeaveLine(const Seen& seen, const placement::Decision& decision);
  // Its verdicts are not those of others that ask for the same (WakeIndex::Update).
  static bool IsAlone(const Seen& seen);
  // It has had its quota for longer than cleaning up takes.
  static bool IsStuck(const Seen& seen);
  // What the objects show now of all places, ours written included.
  void Observe(Seen& seen);
  // These workers have become free of something that was assumed.
  void WakeWaiting(const std::vector<ClusterName>& workers);
  void Record(const Seen& seen, const placement::Decision& decision);
  Result<void> Execute(const Seen& seen, const placement::Decision& decision);

  // For the replica that takes over.
  void KeepRecord(const Seen& seen);
  void ObserveVerdicts(const Gathered& gathered) const;
  void ClearResidues(const Gathered& gathered);

  // Constant after construction.
  const WorkloadSettings settings_;
  const WorkloadParts parts_;
  // Before the loop starts.
  WallTime kept_since_;  // placement::PlacementRecord::kept_since
};

}  // namespace fedra::reconcile
