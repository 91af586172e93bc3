#include "store/tables/places.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutPlaces& change) {
  FEDRA_RETURN_IF_ERROR(db.Run("DELETE FROM places WHERE uid = ?", {change.uid}));
  for (const PlaceRow& row : change.rows) {
    FEDRA_RETURN_IF_ERROR(
        db.Run("INSERT OR REPLACE INTO places (uid, cluster, place, passes, is_kept, first, "
               "dispatch_order, is_bound_reached) VALUES (?,?,?,?,?,?,?,?)",
               {change.uid, row.cluster, row.place, row.passes, row.is_kept ? 1 : 0, row.first,
                row.dispatch_order, row.is_bound_reached ? 1 : 0}));
  }
  return {};
}

Result<std::vector<PlaceRow>> LoadPlaces(Connection& db, const std::string& uid) {
  static constexpr char kOfOne[] =
      "SELECT uid, cluster, place, passes, is_kept, first, dispatch_order, is_bound_reached"
      " FROM places WHERE uid = ? ORDER BY place, cluster";
  static constexpr char kOfAll[] =
      "SELECT uid, cluster, place, passes, is_kept, first, dispatch_order, is_bound_reached"
      " FROM places WHERE ? = '' ORDER BY uid, place, cluster";
  std::vector<PlaceRow> rows;
  FEDRA_RETURN_IF_ERROR(db.Query(uid.empty() ? kOfAll : kOfOne, {uid}, [&](Row& row) {
    rows.push_back({row.Text(), row.Cluster(), row.Int(), row.Int(), row.Int() != 0, row.Text(),
                    row.Text(), row.Int() != 0});
  }));
  return rows;
}

}  // namespace fedra::store
