#pragma once
//
// Keeps the store's view of every workload current, for `fedra status`, `why` and `history`.
//
// Writes only what changed. Thread rules: any thread; one workload by one thread at a time.
// Lifetime: store and clock must outlive it.

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "manager/placement/action.h"
#include "manager/reconcile/gather.h"
#include "store/store.h"

namespace fedra::reconcile {

class StatusWriter final {
 public:
  StatusWriter(store::Store& store, const Clock& clock);

  // Takes over what the last run wrote; the workloads it knew, which may be gone by now. Once,
  // before use.
  Result<std::vector<ObjectKey>> Load();

  // The workloads that have a row.
  std::vector<ObjectKey> Known() const;

  // What was seen and decided. Workloads that are none of our business are not recorded.
  void Record(const Gathered& gathered, const placement::Decision& decision);
  // One line of the history. False: no news (placement::Note::subjects), and nothing was written.
  bool AddNote(const Gathered& gathered, const placement::Note& note);
  // Whether the history has no log of a pod of this incarnation yet, also from before a restart.
  // Blocks for a look into the store.
  bool WantsLog(const Gathered& gathered);
  void KeepLog(const Gathered& gathered, const ClusterName& worker, std::string log);
  // It is known no more. `is_deleted`: for it does not exist any more. Then what is open of its
  // attempts has ended so, and the history says it, unless it did or the job had ended. Blocks for
  // a look into the store.
  void Gone(const ObjectKey& workload, bool is_deleted);

 private:
  struct Written {
    store::WorkloadRow row;
    std::string needs_key = {};  // what row.needs_json was made of; empty: not known
    uint64_t verdicts = 0;       // hash of what was written last
    uint64_t headroom = 0;       // likewise, of how often it would fit besides
    SteadyTime verdicts_at{};    // when
    ClusterName verdicts_for;    // where it was, or was to go, then
    // Of the last note; only since the start.
    std::string_view reason = {};
    std::set<std::string> subjects = {};
    std::string log_kept_of = {};  // the UID of the incarnation whose pod's log is in the history
  };

  void RecordDeletion(const Written& gone);
  void RecordVerdicts(const std::vector<const placement::ClusterView*>& clusters,
                      const std::string& uid, const ClusterName& worker, Written& written);

  store::Store& store_;
  const Clock& clock_;
  Guarded<std::unordered_map<ObjectKey, Written>> written_;
};

}  // namespace fedra::reconcile
