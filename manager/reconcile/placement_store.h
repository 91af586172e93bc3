#pragma once
//
// What fedra remembers of each workload's placement, in memory and in the store.
//
// Thread rules: any thread; but one workload is changed by one thread at a time (the queue sees to
// that). Lifetime: the store must outlive it.

#include <future>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "manager/placement/action.h"
#include "manager/placement/view.h"
#include "store/store.h"

namespace fedra::reconcile {

class PlacementStore final {
 public:
  explicit PlacementStore(store::Store& store);

  // Reads everything the last run remembered. Once, before use. Workloads that a write was
  // announced for and that are looked at first: whatever came of it is seen on the clusters.
  Result<std::vector<ObjectKey>> Load();

  // Another fedra has decided since this was written: it is no longer known, nor remembered. What
  // is not on the clusters begins anew, as with a store that was lost; but the attempts that the
  // history has keep their numbers, and those that follow are counted on.
  void ForgetAll();
  // How many attempts of this Workload the history had then.
  int AttemptsBefore(const std::string& uid) const;

  // An empty row when nothing is remembered of this workload.
  store::PlacementRow Find(const ObjectKey& workload) const;
  // A row that is being written durably.
  struct UnderWay {
    store::PlacementRow row;
    std::future<Result<void>> done;
  };
  // Begins with it; `more` goes into the same transaction.
  UnderWay BeginCommit(store::PlacementRow row, std::vector<store::Change> more);
  // Waits until it is durable; remembered from then on, unless that failed.
  Result<void> EndCommit(UnderWay written);
  // Remembered now, written soon.
  void Put(store::PlacementRow row);
  // Remembered now, written with the next Put() or commit of this workload.
  void Hold(store::PlacementRow row);
  void Forget(const ObjectKey& workload);

  // In memory only: how the workload's check was last rendered (placement::CheckReport); 0: not
  // known.
  void RememberRendering(const ObjectKey& workload, uint64_t rendering);
  uint64_t Rendering(const ObjectKey& workload) const;

  // In memory only.
  void RememberPlacing(const ObjectKey& workload, placement::Placing placing);
  // A clock that was set back must not stretch its time: then it begins now.
  std::optional<placement::Placing> Placing(const ObjectKey& workload, WallTime now);

  // In memory only. An attempt begins: none of it has ended.
  void BeginAttempt(const ObjectKey& workload);
  // Whether it is not known yet that the running attempt there has ended; from now on it is.
  bool EndsAttempt(const ObjectKey& workload, const ClusterName& cluster);

  // In memory only: whether the last nomination failed, as far as that is known.
  void RememberNomination(const ObjectKey& workload, bool failed);
  bool HasFailedNomination(const ObjectKey& workload) const;

  // In memory only: the job's end is known from now on, unless it was before.
  void RememberEnd(const ObjectKey& workload, WallTime now);

  // Durable, once per cluster and workload: to be cleaned up when the cluster comes back.
  Result<void> AddResidue(store::ResidueRow row);
  // Nothing of ours under this name is left there, of whatever incarnation.
  void ClearResidue(const ClusterName& cluster, const ObjectKey& workload);
  // Clusters with residues of this workload.
  std::set<ClusterName> ResidueClusters(const ObjectKey& workload) const;
  // Of the jobs that something is remembered of: "Job", "JobSet".
  std::set<std::string> JobKinds() const;
  // Workloads with residues on this cluster.
  std::vector<ObjectKey> ResiduesOn(const ClusterName& cluster) const;

 private:
  struct State {
    std::unordered_map<ObjectKey, store::PlacementRow> placements;
    std::unordered_map<ObjectKey, placement::Placing> placings;
    std::unordered_map<ObjectKey, uint64_t> renderings;
    std::unordered_set<ObjectKey> failed_nominations;
    std::unordered_map<ObjectKey, std::set<ClusterName>> ended;  // of the running attempt
    std::unordered_map<ObjectKey, std::vector<store::ResidueRow>> residues;  // by workload
    std::unordered_map<std::string, int> attempts_before;                    // by UID
  };

  store::Store& store_;
  Guarded<State> state_;
};

// A clock that was set back must not stretch what began by the old one: it begins now. Whether that
// changed anything.
bool BringBack(store::PlacementRow& row, WallTime now);
// Leaves out the failures that placement::IsForgotten. True: there were some.
bool ForgetFailures(store::PlacementRow& row, std::optional<WallTime> retry_at, WallTime now);
// The part of a row that decisions look at; what is in memory only is not in the row.
placement::PlacementRecord ToRecord(const store::PlacementRow& row);

}  // namespace fedra::reconcile
