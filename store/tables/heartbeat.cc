#include "store/tables/heartbeat.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const SetHeartbeat& change) {
  const HeartbeatRow& row = change.row;
  return db.Run(
      "INSERT OR REPLACE INTO heartbeat (only, at, pid, version, started_at, dispatch_order, "
      "restart_needed, role, identity, leader, leader_since, takeovers, lead_problem, "
      "config_differs, decided_at) "
      "VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?, "
      "CASE WHEN ?7 = 'Standby' THEN (SELECT decided_at FROM heartbeat) ELSE ?1 END)",
      {row.at, row.pid, row.version, row.started_at, row.dispatch_order, row.restart_needed,
       row.role, row.identity, row.leader, row.leader_since, row.takeovers, row.lead_problem,
       row.config_differs});
}

Result<std::optional<HeartbeatRow>> LoadHeartbeat(Connection& db) {
  std::optional<HeartbeatRow> heartbeat;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT at, pid, version, started_at, dispatch_order, restart_needed, role, identity, "
      "leader, leader_since, takeovers, lead_problem, config_differs, decided_at FROM heartbeat",
      {}, [&](Row& row) {
        HeartbeatRow& read = heartbeat.emplace();
        read.at = row.Time();
        read.pid = row.Integer();
        read.version = row.Text();
        read.started_at = row.Time();
        read.dispatch_order = row.Text();
        read.restart_needed = row.Text();
        read.role = row.Text();
        read.identity = row.Text();
        read.leader = row.Text();
        read.leader_since = row.OptionalTime();
        read.takeovers = row.Int();
        read.lead_problem = row.Text();
        read.config_differs = row.Text();
        read.decided_at = row.OptionalTime();
      }));
  return heartbeat;
}

}  // namespace fedra::store
