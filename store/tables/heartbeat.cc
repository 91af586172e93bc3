#include "store/tables/heartbeat.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const SetHeartbeat& change) {
  const HeartbeatRow& row = change.row;
  return db.Run(
      "INSERT OR REPLACE INTO heartbeat (only, at, pid, version, started_at, dispatch_order, "
      "restart_needed) VALUES (1,?,?,?,?,?,?)",
      {row.at, row.pid, row.version, row.started_at, row.dispatch_order, row.restart_needed});
}

Result<std::optional<HeartbeatRow>> LoadHeartbeat(Connection& db) {
  std::optional<HeartbeatRow> heartbeat;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT at, pid, version, started_at, dispatch_order, restart_needed FROM heartbeat", {},
      [&](Row& row) {
        heartbeat = {row.Time(), row.Integer(), row.Text(), row.Time(), row.Text(), row.Text()};
      }));
  return heartbeat;
}

}  // namespace fedra::store
