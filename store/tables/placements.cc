#include "store/tables/placements.h"

#include <unordered_map>
#include <utility>

namespace fedra::store {
namespace {

// An empty `uid` means all of them. A scan also for one uid: only a person asks for a single one.
Result<std::vector<PlacementRow>> Load(Connection& db, const std::string& uid) {
  std::vector<PlacementRow> rows;
  std::unordered_map<std::string, size_t> place;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT uid, ns, name, job_kind, job_ns, job_name, attempt, nominated_at, winner, won_at"
      " FROM placements WHERE ?1 IN ('', uid) ORDER BY uid",
      {uid}, [&](Row& row) {
        PlacementRow& placement = rows.emplace_back();
        placement.uid = row.Text();
        place.emplace(placement.uid, rows.size() - 1);
        placement.key = row.Key();
        placement.job_kind = row.Text();
        placement.job = row.Key();
        placement.attempt = row.Int();
        placement.nominated_at = row.OptionalTime();
        placement.winner = row.OptionalCluster();
        placement.won_at = row.OptionalTime();
      }));
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT uid, cluster FROM placement_nominated WHERE ?1 IN ('', uid) ORDER BY uid, position",
      {uid}, [&](Row& row) { rows.at(place.at(row.Text())).nominated.push_back(row.Cluster()); }));
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT uid, cluster, reason, at, message, refused, times FROM placement_failures"
               " WHERE ?1 IN ('', uid) ORDER BY uid, position",
               {uid}, [&](Row& row) {
                 PlacementFailure& failure = rows.at(place.at(row.Text())).failures.emplace_back();
                 failure.cluster = row.Cluster();
                 failure.reason = row.Text();
                 failure.at = row.Time();
                 failure.message = row.Text();
                 failure.refused = row.Int() != 0;
                 failure.times = row.Int();
               }));
  return rows;
}

}  // namespace

Result<void> Apply(Connection& db, const PutPlacement& change) {
  const PlacementRow& row = change.row;
  // Takes the rows of the two lists with it (ON DELETE CASCADE).
  FEDRA_RETURN_IF_ERROR(Apply(db, RemovePlacement{row.uid}));
  FEDRA_RETURN_IF_ERROR(
      db.Run("INSERT INTO placements (uid, ns, name, job_kind, job_ns, job_name, attempt, "
             "nominated_at, winner,"
             " won_at) VALUES (?,?,?,?,?,?,?,?,?,?)",
             {row.uid, row.key.ns, row.key.name, row.job_kind, row.job.ns, row.job.name,
              row.attempt, row.nominated_at, row.winner, row.won_at}));
  int position = 0;
  for (const ClusterName& cluster : row.nominated) {
    FEDRA_RETURN_IF_ERROR(
        db.Run("INSERT INTO placement_nominated (uid, position, cluster) VALUES (?,?,?)",
               {row.uid, position++, cluster}));
  }
  position = 0;
  for (const PlacementFailure& failure : row.failures) {
    FEDRA_RETURN_IF_ERROR(
        db.Run("INSERT INTO placement_failures (uid, position, cluster, reason, at, message, "
               "refused, times)"
               " VALUES (?,?,?,?,?,?,?,?)",
               {row.uid, position++, failure.cluster, failure.reason, failure.at, failure.message,
                failure.refused ? 1 : 0, failure.times}));
  }
  return {};
}

Result<void> Apply(Connection& db, const RemovePlacement& change) {
  return db.Run("DELETE FROM placements WHERE uid = ?", {change.uid});
}

Result<std::vector<PlacementRow>> LoadPlacements(Connection& db) { return Load(db, ""); }

Result<std::optional<PlacementRow>> LoadPlacement(Connection& db, const std::string& uid) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<PlacementRow> rows, Load(db, uid));
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

}  // namespace fedra::store
