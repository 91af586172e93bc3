#include "store/tables/events.h"

namespace fedra::store {
namespace {

EventRow ReadEvent(Row& row) {
  return {row.Integer(), row.Text(), row.Key(), row.Time(), row.Text(), row.Cluster(), row.Text()};
}

}  // namespace

Result<void> Apply(Connection& db, const AddEvent& change) {
  const EventRow& row = change.row;
  return db.Run(
      "INSERT INTO events (uid, ns, name, at, reason, cluster, message) VALUES (?,?,?,?,?,?,?)",
      {row.uid, row.key.ns, row.key.name, row.at, row.reason, row.cluster, row.message});
}

Result<std::vector<EventRow>> LoadEvents(Connection& db, const std::string& uid) {
  std::vector<EventRow> rows;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT id, uid, ns, name, at, reason, cluster, message FROM events WHERE uid = ? "
               "ORDER BY at, id",
               {uid}, [&](Row& row) { rows.push_back(ReadEvent(row)); }));
  return rows;
}

}  // namespace fedra::store
