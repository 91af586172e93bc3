#include "store/retention.h"

#include <utility>

namespace fedra::store {
namespace {

// Rows per table and piece of work: a few milliseconds.
constexpr int kRowsPerPiece = 1000;
// The newest events stay whatever their age: a clock that jumps ahead must not take all of them.
constexpr int kKeptEvents = 1000;
// Free pages that are kept for the next rows; what is above goes back to the file system.
constexpr int kSparePages = 1000;

Result<bool> TrimByAge(Connection& db, WallTime before) {
  int64_t most = 0;
  const auto run = [&](std::string_view sql, std::initializer_list<Value> values) -> Result<void> {
    FEDRA_RETURN_IF_ERROR(db.Run(sql, values));
    most = std::max(most, db.Changed());
    return {};
  };
  FEDRA_RETURN_IF_ERROR(
      run("DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at < ?1"
          " AND id <= (SELECT max(id) FROM events) - ?2 ORDER BY at LIMIT ?3)",
          {before, kKeptEvents, kRowsPerPiece}));
  // An attempt without an end is over when its workload is gone.
  FEDRA_RETURN_IF_ERROR(
      run("DELETE FROM attempts WHERE (uid, number, cluster) IN (SELECT uid, number, cluster FROM "
          "attempts a"
          " WHERE started_at < ?1 AND (ended_at < ?1 OR (ended_at IS NULL AND NOT EXISTS"
          " (SELECT 1 FROM workloads w WHERE w.uid = a.uid AND w.removed_at IS NULL)))"
          " ORDER BY started_at LIMIT ?2)",
          {before, kRowsPerPiece}));
  // A removed workload is what finds its events by the job's name: it stays as long as they do.
  FEDRA_RETURN_IF_ERROR(run(
      "DELETE FROM workloads WHERE uid IN (SELECT uid FROM workloads w WHERE removed_at < ?1"
      " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.uid = w.uid) ORDER BY removed_at LIMIT ?2)",
      {before, kRowsPerPiece}));
  return most == kRowsPerPiece;
}

Result<uint64_t> UsedBytes(Connection& db) {
  FEDRA_ASSIGN_OR_RETURN(const int64_t pages, db.QueryInteger("PRAGMA page_count"));
  FEDRA_ASSIGN_OR_RETURN(const int64_t free, db.QueryInteger("PRAGMA freelist_count"));
  FEDRA_ASSIGN_OR_RETURN(const int64_t size, db.QueryInteger("PRAGMA page_size"));
  return static_cast<uint64_t>((pages - free) * size);
}

// The oldest history, whatever its age. False when there is none left.
Result<bool> TrimOldest(Connection& db) {
  int64_t removed = 0;
  for (const std::string_view sql :
       {"DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY at LIMIT ?)",
        "DELETE FROM attempts WHERE (uid, number, cluster) IN (SELECT uid, number, cluster FROM "
        "attempts"
        " WHERE ended_at IS NOT NULL ORDER BY started_at LIMIT ?)",
        "DELETE FROM workloads WHERE uid IN (SELECT uid FROM workloads w WHERE removed_at IS NOT "
        "NULL"
        " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.uid = w.uid) ORDER BY removed_at LIMIT "
        "?)"}) {
    FEDRA_RETURN_IF_ERROR(db.Run(sql, {kRowsPerPiece}));
    removed += db.Changed();
  }
  return removed > 0;
}

Result<bool> ReturnFreePages(Connection& db) {
  FEDRA_ASSIGN_OR_RETURN(const int64_t free, db.QueryInteger("PRAGMA freelist_count"));
  if (free <= kSparePages) return false;
  FEDRA_RETURN_IF_ERROR(db.Query("PRAGMA incremental_vacuum(1000)", {}, [](Row&) {}));
  return free > 2 * kSparePages;
}

Result<bool> Trim(Connection& db, const RetentionLimits& limits, WallTime now) {
  FEDRA_ASSIGN_OR_RETURN(bool more, TrimByAge(db, now - limits.age));
  FEDRA_ASSIGN_OR_RETURN(const uint64_t used, UsedBytes(db));
  if (used > limits.bytes) {
    FEDRA_ASSIGN_OR_RETURN(const bool trimmed, TrimOldest(db));
    more = more || trimmed;
  }
  FEDRA_ASSIGN_OR_RETURN(const bool pages_left, ReturnFreePages(db));
  return more || pages_left;
}

}  // namespace

Result<bool> TrimHistory(Connection& db, const RetentionLimits& limits, WallTime now) {
  FEDRA_RETURN_IF_ERROR(db.SetDurable(false));
  FEDRA_RETURN_IF_ERROR(db.Run("BEGIN IMMEDIATE"));
  Result<bool> more = Trim(db, limits, now);
  if (more) {
    if (const Result<void> committed = db.Run("COMMIT"); !committed) more = Fail(committed.error());
  }
  if (!more && db.InTransaction()) static_cast<void>(db.Run("ROLLBACK"));
  return more;
}

Result<void> RemoveStrayVerdicts(Connection& db) {
  return db.Run(
      "DELETE FROM verdicts WHERE NOT EXISTS"
      " (SELECT 1 FROM workloads w WHERE w.uid = verdicts.uid AND w.removed_at IS NULL)");
}

}  // namespace fedra::store
