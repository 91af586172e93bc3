#include "store/tables/workloads.h"

#include <string_view>

#include "base/natural_order.h"
#include "store/tables/reasons_text.h"

#define FEDRA_WORKLOAD_COLUMNS                                                          \
  "uid, ns, name, job_kind, job_ns, job_name, queue, state, worker, note, created_at, " \
  "state_since, finished_at, updated_at, removed_at, needs_json, "                      \
  "labels_json, cluster_queue, waits_for, priority, reasons"

namespace fedra::store {
namespace {

std::vector<std::string> ReasonsIn(std::string_view text) {
  std::vector<std::string> reasons;
  ForEachReason(text, [&](std::string_view reason) { reasons.emplace_back(reason); });
  return reasons;
}

WorkloadRow ReadWorkload(Row& row) {
  return {row.Text(),           row.Key(),  row.Text(), row.Key(),  row.Text(),         row.Text(),
          row.Cluster(),        row.Text(), row.Time(), row.Time(), row.OptionalTime(), row.Time(),
          row.OptionalTime(),   row.Text(), row.Text(), row.Text(), row.Text(),         row.Int(),
          ReasonsIn(row.View())};
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
  const std::string reasons = ReasonsText(row.reasons);
  // Of a row that is there the names stay, and so do the places in the indexes that have them.
  FEDRA_RETURN_IF_ERROR(db.Run(
      "UPDATE workloads SET queue = ?, state = ?, worker = ?, note = ?, created_at = ?,"
      " state_since = ?, finished_at = ?, updated_at = ?, removed_at = ?, needs_json = ?,"
      " labels_json = ?, cluster_queue = ?, waits_for = ?, priority = ?, reasons = ?"
      " WHERE uid = ? AND ns = ? AND name = ? AND job_kind = ? AND job_ns = ? AND job_name = ?",
      {row.queue,       row.state,         row.worker,     row.note,       row.created_at,
       row.state_since, row.finished_at,   row.updated_at, row.removed_at, row.needs_json,
       row.labels_json, row.cluster_queue, row.waits_for,  row.priority,   reasons,
       row.uid,         row.key.ns,        row.key.name,   row.job_kind,   row.job.ns,
       row.job.name}));
  if (db.Changed() > 0) return {};
  return db.Run("INSERT OR REPLACE INTO workloads (" FEDRA_WORKLOAD_COLUMNS
                ", ns_order, name_order) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                {row.uid,
                 row.key.ns,
                 row.key.name,
                 row.job_kind,
                 row.job.ns,
                 row.job.name,
                 row.queue,
                 row.state,
                 row.worker,
                 row.note,
                 row.created_at,
                 row.state_since,
                 row.finished_at,
                 row.updated_at,
                 row.removed_at,
                 row.needs_json,
                 row.labels_json,
                 row.cluster_queue,
                 row.waits_for,
                 row.priority,
                 reasons,
                 InNaturalOrder(row.job.ns),
                 InNaturalOrder(row.job.name)});
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

Result<std::optional<WorkloadRow>> LoadWorkload(Connection& db, const std::string& uid) {
  std::optional<WorkloadRow> found;
  FEDRA_RETURN_IF_ERROR(db.Query("SELECT " FEDRA_WORKLOAD_COLUMNS
                                 " FROM workloads WHERE uid = ? AND removed_at IS NULL",
                                 {uid}, [&](Row& row) { found = ReadWorkload(row); }));
  return found;
}

Result<std::optional<WorkloadRow>> LoadWorkloadOrDeleted(Connection& db, const std::string& uid) {
  std::optional<WorkloadRow> found;
  FEDRA_RETURN_IF_ERROR(db.Query("SELECT " FEDRA_WORKLOAD_COLUMNS " FROM workloads WHERE uid = ?",
                                 {uid}, [&](Row& row) { found = ReadWorkload(row); }));
  return found;
}

Result<std::vector<WorkloadRow>> LoadWorkloadsNamed(Connection& db, const ObjectKey& name) {
  static constexpr char kInNamespace[] =
      "SELECT " FEDRA_WORKLOAD_COLUMNS
      " FROM workloads WHERE (job_ns = ?1 AND job_name = ?2) OR (ns = ?1 AND name = ?2)"
      " ORDER BY removed_at IS NOT NULL, created_at DESC, uid";
  static constexpr char kAnywhere[] =
      "SELECT " FEDRA_WORKLOAD_COLUMNS
      " FROM workloads WHERE ?1 = '' AND uid IN (SELECT uid FROM workloads WHERE job_name = ?2"
      " UNION SELECT uid FROM workloads WHERE name = ?2)"
      " ORDER BY removed_at IS NOT NULL, created_at DESC, uid";
  std::vector<WorkloadRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(name.ns.empty() ? kAnywhere : kInNamespace, {name.ns, name.name},
                                 [&](Row& row) { rows.push_back(ReadWorkload(row)); }));
  return rows;
}

}  // namespace fedra::store
