#include "store/tables/placements.h"

#include <unordered_map>
#include <utility>

namespace fedra::store {
namespace {

// From the column `cluster` on.
PlacementFailure ReadFailure(Row& row) {
  PlacementFailure failure;
  failure.cluster = row.Cluster();
  failure.reason = row.Text();
  failure.at = row.Time();
  failure.message = row.Text();
  failure.refused = row.Int() != 0;
  failure.times = row.Int();
  return failure;
}

}  // namespace

Result<void> Apply(Connection& db, const PutPlacement& change) {
  const PlacementRow& row = change.row;
  // Takes the rows of the two lists with it (ON DELETE CASCADE).
  FEDRA_RETURN_IF_ERROR(Apply(db, RemovePlacement{row.uid}));
  FEDRA_RETURN_IF_ERROR(
      db.Run("INSERT INTO placements (uid, ns, name, job_kind, job_ns, job_name, attempt, "
             "nominated_at, reported_in, reported_facts) VALUES (?,?,?,?,?,?,?,?,?,?)",
             {row.uid, row.key.ns, row.key.name, row.job_kind, row.job.ns, row.job.name,
              row.attempt, row.nominated_at, row.reported_in, row.reported_facts}));
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

Result<std::vector<PlacementRow>> LoadPlacements(Connection& db) {
  std::vector<PlacementRow> rows;
  std::unordered_map<std::string, size_t> place;
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT uid, ns, name, job_kind, job_ns, job_name, attempt, nominated_at, reported_in, "
      "reported_facts"
      " FROM placements ORDER BY uid",
      {}, [&](Row& row) {
        PlacementRow& placement = rows.emplace_back();
        placement.uid = row.Text();
        place.emplace(placement.uid, rows.size() - 1);
        placement.key = row.Key();
        placement.job_kind = row.Text();
        placement.job = row.Key();
        placement.attempt = row.Int();
        placement.nominated_at = row.OptionalTime();
        placement.reported_in = row.OptionalTime();
        placement.reported_facts = row.Integer();
      }));
  FEDRA_RETURN_IF_ERROR(db.Query(
      "SELECT uid, cluster FROM placement_nominated ORDER BY uid, position", {},
      [&](Row& row) { rows.at(place.at(row.Text())).nominated.push_back(row.Cluster()); }));
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT uid, cluster, reason, at, message, refused, times FROM placement_failures"
               " ORDER BY uid, position",
               {}, [&](Row& row) {
                 auto& failures = rows.at(place.at(row.Text())).failures;
                 failures.push_back(ReadFailure(row));
               }));
  return rows;
}

Result<std::vector<PlacementFailure>> LoadFailures(Connection& db, const std::string& uid) {
  std::vector<PlacementFailure> failures;
  FEDRA_RETURN_IF_ERROR(
      db.Query("SELECT cluster, reason, at, message, refused, times FROM placement_failures"
               " WHERE uid = ? ORDER BY position",
               {uid}, [&](Row& row) { failures.push_back(ReadFailure(row)); }));
  return failures;
}

}  // namespace fedra::store
