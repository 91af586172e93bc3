#pragma once
//
// What a replica that takes over must know of a workload, on the manager (tracking::RecordObject):
// a worker has failed it. Written for those workloads alone, when what is remembered of them
// differs from it, so a job that its first worker keeps costs no request; read once, before the
// first decision on a workload of which nothing is remembered.
//
// A record is an aid: one that cannot be written keeps nothing from being done, and is said once.
//
// Thread rules: any thread, one workload by one thread at a time; Keep blocks. Lifetime: everything
// given at construction must outlive it.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/watch/tracked_cache.h"
#include "manager/reconcile/placement_store.h"
#include "manager/tracking/record_object.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

// What of a row is kept on the manager, and back.
tracking::Recorded RecordedOf(const store::PlacementRow& row);
store::PlacementRow RowOf(const tracking::Workload& workload, const tracking::Recorded& recorded);

class RecordKeeper final {
 public:
  // `shares`: there are other replicas; without, nothing is read or written. `records`: of the
  // manager; what was written is kept there.
  RecordKeeper(bool shares, Cluster& manager, watch::TrackedCache<tracking::RecordObject>& records,
               const PlacementStore& placements, const Clock& clock);

  // What another replica has left of this workload, which has not ended. Nothing: there is no
  // record, it is of another Workload of that name, or records cannot be read.
  std::optional<store::PlacementRow> Left(const tracking::Workload& workload) const;

  // Writes what is remembered of it, unless that is written already, or no replica needs it. When
  // to try again; nothing: all is well, or trying would not help. Where one was refused, none of
  // that namespace is tried for a minute.
  std::optional<std::chrono::milliseconds> Keep(const tracking::Workload& workload);

 private:
  // The record of this Workload; null: there is none.
  std::shared_ptr<const tracking::RecordObject> Find(const tracking::Workload& workload) const;
  Result<std::string> Write(const tracking::Workload& workload, const tracking::Recorded& wanted);
  std::optional<std::chrono::milliseconds> Failed(const tracking::Workload& workload,
                                                  const Error& error);
  // Whether the namespace had one refused, and the pause after that is not over.
  bool IsRefusing(const std::string& ns);

  // Constant after construction.
  const bool shares_;
  Cluster& manager_;
  watch::TrackedCache<tracking::RecordObject>& records_;
  const PlacementStore& placements_;
  const Clock& clock_;

  Guarded<std::map<std::string, SteadyTime>> refused_until_;  // by namespace
  Guarded<bool> complained_{false};                           // since a record was written last
};

}  // namespace fedra::reconcile
