#include "store/tables/workloads.h"

#define FEDRA_WORKLOAD_COLUMNS                                                          \
  "uid, ns, name, job_kind, job_ns, job_name, queue, state, worker, note, created_at, " \
  "state_since, finished_at, updated_at, removed_at, needs_json, "                      \
  "labels_json, cluster_queue, waits_for, priority"

namespace fedra::store {
namespace {

WorkloadRow ReadWorkload(Row& row) {
  return {row.Text(),         row.Key(),  row.Text(), row.Key(),  row.Text(),         row.Text(),
          row.Cluster(),      row.Text(), row.Time(), row.Time(), row.OptionalTime(), row.Time(),
          row.OptionalTime(), row.Text(), row.Text(), row.Text(), row.Text(),         row.Int()};
}

// What is only kept while it lives.
Result<void> RemovePresent(Connection& db, const std::string& uid) {
  FEDRA_RETURN_IF_ERROR(db.Run("DELETE FROM places WHERE uid = ?", {uid}));
  return db.Run("DELETE FROM verdicts WHERE uid = ?", {uid});
}

}  // namespace

Result<void> Apply(Connection& db, const PutWorkload& change) {
  const WorkloadRow& row = change.row;
  if (row.removed_at) FEDRA_RETURN_IF_ERROR(RemovePresent(db, row.uid));
  return db.Run("INSERT OR REPLACE INTO workloads (" FEDRA_WORKLOAD_COLUMNS
                ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                {row.uid,        row.key.ns,      row.key.name,      row.job_kind,   row.job.ns,
                 row.job.name,   row.queue,       row.state,         row.worker,     row.note,
                 row.created_at, row.state_since, row.finished_at,   row.updated_at, row.removed_at,
                 row.needs_json, row.labels_json, row.cluster_queue, row.waits_for,  row.priority});
}

Result<void> Apply(Connection& db, const RemoveWorkload& change) {
  FEDRA_RETURN_IF_ERROR(RemovePresent(db, change.uid));
  return db.Run("UPDATE workloads SET removed_at = ? WHERE uid = ?", {change.at, change.uid});
}

Result<std::vector<WorkloadRow>> LoadWorkloads(Connection& db, const WorkloadFilter& filter) {
  std::vector<WorkloadRow> rows;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT " FEDRA_WORKLOAD_COLUMNS
               " FROM workloads WHERE removed_at IS NULL AND ?1 IN ('', job_ns)"
               " AND ?2 IN ('', worker) ORDER BY job_ns, job_name, created_at, uid",
               {filter.ns, filter.worker}, [&](Row& row) { rows.push_back(ReadWorkload(row)); }));
  return rows;
}

Result<std::vector<WorkloadRow>> LoadWorkloadsNamed(Connection& db, const ObjectKey& name) {
  static constexpr char kInNamespace[] =
      "SELECT " FEDRA_WORKLOAD_COLUMNS
      " FROM workloads WHERE (job_ns = ?1 AND job_name = ?2) OR (ns = ?1 AND name = ?2)"
      " ORDER BY removed_at IS NOT NULL, created_at DESC, uid";
  static constexpr char kAnywhere[] =
      "SELECT " FEDRA_WORKLOAD_COLUMNS
      " FROM workloads WHERE ?1 = '' AND (job_name = ?2 OR name = ?2)"
      " ORDER BY removed_at IS NOT NULL, created_at DESC, uid";
  std::vector<WorkloadRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(name.ns.empty() ? kAnywhere : kInNamespace, {name.ns, name.name},
                                 [&](Row& row) { rows.push_back(ReadWorkload(row)); }));
  return rows;
}

}  // namespace fedra::store
