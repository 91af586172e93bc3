#include "store/tables/attempts.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutAttempt& change) {
  const AttemptRow& row = change.row;
  return db.Run(
      "INSERT INTO attempts (uid, number, cluster, started_at, ended_at, outcome, message) VALUES "
      "(?,?,?,?,?,?,?)"
      " ON CONFLICT DO UPDATE SET started_at = min(started_at, excluded.started_at),"
      " outcome = iif(excluded.ended_at IS NULL, outcome, excluded.outcome),"
      " message = iif(excluded.ended_at IS NULL, message, excluded.message),"
      " ended_at = ifnull(excluded.ended_at, ended_at)",
      {row.uid, row.number, row.cluster, row.started_at, row.ended_at, row.outcome, row.message});
}

Result<void> Apply(Connection& db, const EndAttempts& change, std::vector<EndedAttempt>& ended) {
  for (const EndAttempts::End& end : change.ends) {
    FEDRA_RETURN_IF_ERROR(
        db.Query("UPDATE attempts SET ended_at = ?, outcome = ?, message = ? WHERE uid = ? AND "
                 "number = ? AND cluster = ? AND ended_at IS NULL RETURNING cluster",
                 {end.ended_at, end.outcome, end.message, change.uid, end.number, end.cluster},
                 [&](Row& row) { ended.push_back({row.Cluster(), end.outcome}); }));
  }
  return {};
}

Result<void> Apply(Connection& db, const EndEarlierAttempts& change,
                   std::vector<EndedAttempt>& ended) {
  return db.Query(
      "UPDATE attempts SET ended_at = ?, outcome = ? WHERE uid = ? AND number < ? AND ended_at IS "
      "NULL RETURNING cluster",
      {change.ended_at, change.outcome, change.uid, change.number},
      [&](Row& row) { ended.push_back({row.Cluster(), change.outcome}); });
}

Result<void> Apply(Connection& db, const RemoveLaterAttempts& change) {
  return db.Run("DELETE FROM attempts WHERE uid = ? AND number >= ?", {change.uid, change.number});
}

namespace {

AttemptRow ReadAttempt(Row& row) {
  return {row.Text(),         row.Int(),  row.Cluster(), row.Time(),
          row.OptionalTime(), row.Text(), row.Text()};
}

}  // namespace

Result<std::unordered_map<std::string, int>> LoadLastNumbers(Connection& db) {
  std::unordered_map<std::string, int> numbers;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT uid, max(number) FROM attempts GROUP BY uid", {}, [&](Row& row) {
        std::string uid = row.Text();
        numbers[std::move(uid)] = row.Int();
      }));
  return numbers;
}

Result<std::vector<AttemptRow>> LoadAttempts(Connection& db, const std::string& uid) {
  std::vector<AttemptRow> rows;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT uid, number, cluster, started_at, ended_at, outcome, message FROM attempts "
               "WHERE uid = ?"
               " ORDER BY number, started_at, cluster",
               {uid}, [&](Row& row) { rows.push_back(ReadAttempt(row)); }));
  return rows;
}

}  // namespace fedra::store
