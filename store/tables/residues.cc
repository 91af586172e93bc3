#include "store/tables/residues.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutResidue& change) {
  const ResidueRow& row = change.row;
  return db.Run(
      "INSERT OR REPLACE INTO residues (cluster, uid, ns, name, job_kind, job_ns, job_name, since)"
      " VALUES (?,?,?,?,?,?,?,?)",
      {row.cluster, row.uid, row.key.ns, row.key.name, row.job_kind, row.job.ns, row.job.name,
       row.since});
}

Result<void> Apply(Connection& db, const RemoveResidue& change) {
  return db.Run("DELETE FROM residues WHERE cluster = ? AND uid = ?", {change.cluster, change.uid});
}

Result<std::vector<ResidueRow>> LoadResidues(Connection& db) {
  std::vector<ResidueRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT cluster, ns, name, uid, job_kind, job_ns, job_name, since FROM residues"
      " ORDER BY cluster, since, uid",
      {}, [&](Row& row) {
        rows.push_back({row.Cluster(), row.Key(), row.Text(), row.Text(), row.Key(), row.Time()});
      }));
  return rows;
}

}  // namespace fedra::store
