#include "store/tables/verdicts.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutVerdicts& change) {
  FEDRA_RETURN_IF_ERROR(db.Run("DELETE FROM verdicts WHERE uid = ?", {change.uid}));
  for (const VerdictRow& row : change.rows) {
    FEDRA_RETURN_IF_ERROR(
        db.Run("INSERT OR REPLACE INTO verdicts (uid, cluster, outcome, reasons_json, "
               "pods_fitting, pods_wanted,"
               " checked_at) VALUES (?,?,?,?,?,?,?)",
               {change.uid, row.cluster, row.outcome, row.reasons_json, row.pods_fitting,
                row.pods_wanted, row.checked_at}));
  }
  return {};
}

Result<std::vector<VerdictRow>> LoadVerdicts(Connection& db, const std::string& uid) {
  std::vector<VerdictRow> rows;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT v.uid, v.cluster, v.outcome, v.reasons_json, v.pods_fitting, v.pods_wanted, "
               "v.checked_at"
               " FROM verdicts v LEFT JOIN clusters c ON c.name = v.cluster WHERE v.uid = ?"
               " ORDER BY c.position IS NULL, c.position, v.cluster",
               {uid}, [&](Row& row) {
                 rows.push_back({row.Text(), row.Cluster(), row.Text(), row.Text(), row.Int(),
                                 row.Int(), row.Time()});
               }));
  return rows;
}

}  // namespace fedra::store
