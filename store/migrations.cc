#include "store/migrations.h"

#include <string>

#include <fmt/format.h>

namespace fedra::store {
namespace {

// "fdra": tells our files from other programs' databases (PRAGMA application_id, file(1)).
constexpr int64_t kApplicationId = 0x66647261;

// One transaction: a crash leaves the file before or after the migration, never within.
Result<void> Run(Connection& db, const Migration& migration) {
  const Result<void> done = db.Execute(fmt::format(
      "BEGIN IMMEDIATE;\n{}\nPRAGMA application_id = {};\nPRAGMA user_version = {};\nCOMMIT;",
      migration.sql, kApplicationId, migration.version));
  if (done) return {};
  if (db.InTransaction()) static_cast<void>(db.Execute("ROLLBACK"));
  return Fail(done.error().WithContext(fmt::format("migration {}", migration.version)));
}

}  // namespace

int SchemaVersion() { return Migrations().back().version; }

Result<Identity> Identify(Connection& db) {
  FEDRA_ASSIGN_OR_RETURN(const int64_t application, db.QueryInteger("PRAGMA application_id"));
  FEDRA_ASSIGN_OR_RETURN(const int64_t version, db.QueryInteger("PRAGMA user_version"));
  FEDRA_ASSIGN_OR_RETURN(const int64_t objects,
                         db.QueryInteger("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && objects == 0)
    return Identity{.empty = true, .version = 0};
  if (application != kApplicationId) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("store {}: this is another program's database (give fedra its own store.path)",
                    db.path()));
  }
  return Identity{.empty = false, .version = static_cast<int>(version)};
}

Result<void> Migrate(Connection& db, std::span<const Migration> migrations) {
  FEDRA_ASSIGN_OR_RETURN(const Identity identity, Identify(db));
  const int newest = migrations.back().version;
  if (identity.version > newest) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("store {}: it has schema {}, this fedra knows {}: a newer fedra wrote "
                            "it (run that version, "
                            "or move the file away: all but history is rebuilt from the clusters)",
                            db.path(), identity.version, newest));
  }
  for (const Migration& migration : migrations) {
    if (migration.version > identity.version) FEDRA_RETURN_IF_ERROR(Run(db, migration));
  }
  return {};
}

}  // namespace fedra::store
