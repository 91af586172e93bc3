#pragma once
//
// One consistent view of the store, for commands, for the daemon's answers, and for one that
// starts.
//
// Works while the daemon runs, after it has ended, and after it was killed; never writes. Without
// write permission for the folder it works as far as SQLite can: always when the daemon runs or
// ended properly. The view is that of the moment of Open: to look again, open another one. Do
// not keep one for long: as long as it lives the writer's log cannot shrink.
//
// Errors: kNotFound (no file: no daemon ran yet), kStorage (no permission, I/O), kCorrupt,
// kInvalidArgument (another schema, not a store).
//
// Thread rules: one thread at a time.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/job_query.h"
#include "store/rows.h"

namespace fedra::store {

struct WorkloadFilter {
  std::string ns = {};      // empty: all namespaces
  std::string worker = {};  // empty: all workers and none
};

class Reader final {
 public:
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // From now on there is nothing here but workloads whose jobs are in these namespaces, and what is
  // about them. Who goes before another in line is only known where it is in one of them, too.
  Result<void> ShowOnly(std::set<std::string> namespaces);
  // Of all workloads, removed ones included, whatever is shown.
  Result<std::set<std::string>> Namespaces();

  // Null: no daemon wrote here yet.
  Result<std::optional<HeartbeatRow>> Heartbeat();
  // Whether a daemon had the store open at Open. Null: this user may not look.
  std::optional<bool> is_in_use() const;
  // In the order of the configuration.
  Result<std::vector<ClusterRow>> Clusters();

  // Living workloads only, by namespace and job name.
  Result<std::vector<WorkloadRow>> Workloads(const WorkloadFilter& filter = {});
  // A page of them, of deleted ones where these are asked for, and counts. What they are asked by
  // is read from one index of each (JobQuery).
  Result<JobPage> Jobs(const JobQuery& query);
  // Of all that the query would list without a limit; the largest first, of equal ones by name.
  Result<std::vector<JobGroup>> JobGroups(const JobQuery& query, JobGrouping grouping);
  // The states that living workloads are in, whatever is shown.
  Result<std::vector<std::string>> JobStates();
  // The workers that jobs, also deleted ones, are on, are dispatched to, or have ended on.
  Result<std::set<std::string>> JobWorkers();
  // Their jobs, by name.
  Result<std::vector<ObjectKey>> JobNames();
  // The jobs of these workloads, removed ones included; of uids that are not known, none.
  Result<std::set<ObjectKey>> JobsOf(const std::vector<std::string>& uids);
  // The living one of this uid; null: there is none.
  Result<std::optional<WorkloadRow>> Workload(const std::string& uid);

  // Every incarnation whose job or whose Workload has this name, in any namespace where none is
  // given: living ones first, then the newest first.
  Result<std::vector<WorkloadRow>> FindWorkloads(const ObjectKey& name);

  Result<std::vector<PlacementRow>> Placements();
  // The workers that did not keep this workload, oldest failure first.
  Result<std::vector<PlacementFailure>> Failures(const std::string& uid);
  Result<std::vector<IntentRow>> Intents();    // oldest first
  Result<std::vector<ResidueRow>> Residues();  // by cluster, oldest first

  Result<std::vector<VerdictRow>> Verdicts(
      const std::string& uid);  // in the order of the configuration
  Result<std::vector<PlaceRow>> Places(const std::string& uid);      // empty: of all, by workload
  Result<std::vector<AttemptRow>> Attempts(const std::string& uid);  // oldest first
  // By the UID of the workload the number of its last attempt. Of all, whatever is shown.
  Result<std::unordered_map<std::string, int>> LastAttemptNumbers();
  Result<std::vector<EventRow>> Events(const std::string& uid);  // oldest first

 private:
  struct Parts;
  Result<bool> IsShown(const std::string& uid);
  // Without those that are not shown.
  template <class T>
  Result<std::vector<T>> Shown(Result<std::vector<T>> rows);
  explicit Reader(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace fedra::store
