#include "store/tables/clusters.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutCluster& change) {
  const ClusterRow& row = change.row;
  return db.Run(
      "INSERT OR REPLACE INTO clusters (name, position, phase, phase_since, why, lost_since, "
      "last_contact,"
      " kubernetes_version, dra_version, note, updated_at, capacity_json, is_removed, cordon,"
      " capabilities_json) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      {row.name, row.position, row.phase, row.phase_since, row.why, row.lost_since,
       row.last_contact, row.kubernetes_version, row.dra_version, row.note, row.updated_at,
       row.capacity_json, row.is_removed ? 1 : 0, row.cordon, row.capabilities_json});
}

Result<void> Apply(Connection& db, const RemoveCluster& change) {
  return db.Run("DELETE FROM clusters WHERE name = ?", {change.name});
}

Result<std::vector<ClusterRow>> LoadClusters(Connection& db) {
  std::vector<ClusterRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT name, position, phase, phase_since, why, lost_since, last_contact, "
      "kubernetes_version,"
      " dra_version, note, updated_at, capacity_json, is_removed, cordon, capabilities_json"
      " FROM clusters "
      "ORDER BY position, name",
      {}, [&](Row& row) {
        rows.push_back({row.Cluster(), row.Int(), row.Text(), row.Time(), row.Text(),
                        row.OptionalTime(), row.OptionalTime(), row.Text(), row.Text(), row.Text(),
                        row.Time(), row.Text(), row.Int() != 0, row.Text(), row.Text()});
      }));
  return rows;
}

}  // namespace fedra::store
