#pragma once
//
// What fedra writes down about a workload's placement: attempts and failures in the store, notes in
// the history, the log and Events. No write to a worker, and none to the manager but Events.
//
// Thread rules: any thread; one workload by one thread at a time. Lifetime: everything given at
// construction must outlive it.

#include <chrono>
#include <optional>
#include <string>

#include "manager/placement/action.h"
#include "manager/reconcile/event_writer.h"
#include "manager/reconcile/execution.h"
#include "manager/reconcile/placement_store.h"
#include "manager/reconcile/status_writer.h"
#include "manager/reconcile/telemetry.h"

namespace fedra::reconcile {

// Never negative; 0 without quota.
std::chrono::nanoseconds WaitedSinceQuota(const tracking::Workload& workload, WallTime now);

class Bookkeeping final {
 public:
  Bookkeeping(store::Store& store, PlacementStore& placements, StatusWriter& status_writer,
              EventWriter& events, Telemetry& telemetry, const Clock& clock);

  Result<void> Do(Execution& execution, const placement::RecordFailure& action);
  Result<void> Do(Execution& execution, const placement::RecordPlacing& action);
  Result<void> Do(Execution& execution, const placement::RecordEnd& action);
  Result<void> Do(Execution& execution, const placement::RecordReport& action);
  Result<void> Do(Execution& execution, const placement::RecordRemoval& action);
  Result<void> Do(Execution& execution, const placement::Forget& action);
  Result<void> Do(Execution& execution, const placement::Note& action);
  Result<void> Do(Execution& execution, const placement::KeepRemote& action);
  Result<void> Do(Execution& execution, const placement::EndAttempt& action);
  // kConflict: the worker is back, and what is there can be removed at once.
  Result<void> Do(Execution& execution, const placement::RecordResidue& action);

  // What announces a nomination.
  struct Announcement {
    store::PlacementRow before;                              // the row as it was
    std::optional<PlacementStore::UnderWay> under_way = {};  // of one that begins a round
  };
  // Before a nomination is written. One that begins a round is being stored from then on, while the
  // manager answers.
  Announcement Announce(Execution& execution, const placement::Nominate& action);
  // Before any worker is asked: waits until it is durable.
  Result<void> Await(Announcement& announced);
  // What came of the nomination. `before`: as announced.
  void Conclude(const Execution& execution, const placement::Nominate& action,
                store::PlacementRow before, const Result<void>& written);
  // Whether the workload's last one failed.
  bool HasFailedNomination(const Execution& execution) const {
    return placements_.HasFailedNomination(execution.gathered.view.key);
  }
  // This was written into the check.
  void Remember(const Execution& execution, const placement::CheckReport& reported);
  // The workload is on no worker now, its check says nothing of use, and the next nomination begins
  // a round.
  void ClearRound(const Execution& execution);
  // Ends the running attempt there, unless it has ended already: what was found first is the
  // reason. `outcome`: an AttemptEnd, or the code of a failure's reason.
  void EndAttempt(const Execution& execution, const ClusterName& cluster, std::string_view outcome,
                  const std::string& message);
  void ClearResidue(const Execution& execution, const ClusterName& cluster);
  // The log of a failed pod, into the history alone; once.
  bool WantsLog(const Execution& execution) { return status_writer_.WantsLog(execution.gathered); }
  void KeepLog(const Execution& execution, const ClusterName& cluster, std::string log) {
    status_writer_.KeepLog(execution.gathered, cluster, std::move(log));
  }
  // However the execution ended: what came of its intents is known now, and the state of the
  // clusters says the rest.
  void EndIntents(const Execution& execution);

 private:
  // The remembered row of this incarnation; a fresh one when there is none.
  store::PlacementRow Row(const Execution& execution) const;
  // Counts, and stores with what it is about to do, an attempt on the nominated clusters of `row`.
  PlacementStore::UnderWay BeginAttempt(Execution& execution, store::PlacementRow row);

  store::Store& store_;
  PlacementStore& placements_;
  StatusWriter& status_writer_;
  EventWriter& events_;
  Telemetry& telemetry_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
