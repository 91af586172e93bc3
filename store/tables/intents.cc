#include "store/tables/intents.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const AddIntent& change) {
  const IntentRow& row = change.row;
  return db.Run(
      "INSERT OR REPLACE INTO intents (id, uid, action, cluster, ns, name, at) VALUES "
      "(?,?,?,?,?,?,?)",
      {row.id, row.uid, row.action, row.cluster, row.key.ns, row.key.name, row.at});
}

Result<void> Apply(Connection& db, const EndIntent& change) {
  return db.Run("DELETE FROM intents WHERE id = ?", {change.id});
}

Result<std::vector<IntentRow>> LoadIntents(Connection& db) {
  std::vector<IntentRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT id, uid, action, cluster, ns, name, at FROM intents ORDER BY id", {}, [&](Row& row) {
        rows.push_back(
            {row.Integer(), row.Text(), row.Text(), row.Cluster(), row.Key(), row.Time()});
      }));
  return rows;
}

Result<int64_t> HighestIntentId(Connection& db) {
  return db.QueryInteger("SELECT ifnull(max(id), 0) FROM intents");
}

}  // namespace fedra::store
