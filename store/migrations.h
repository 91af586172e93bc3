#pragma once
//
// The schema's history. PRAGMA user_version is the number of the last migration that a file has
// had; they only go forward, each in its own transaction.
//
// The files store/migrations/NNNN_*.sql are built into the program. Never change one that was
// released: add the next.

#include <span>
#include <string_view>

#include "base/result.h"
#include "store/connection.h"

namespace fedra::store {

struct Migration {
  int version = 0;  // 1, 2, 3, ... without gaps
  std::string_view sql;
};

// All of this program, in order.
std::span<const Migration> Migrations();
// The schema that this program reads and writes.
int SchemaVersion();

// What a file says it is. kInvalidArgument when it is an SQLite database of another program.
struct Identity {
  bool empty = false;  // nothing in it yet
  int version = 0;
};
Result<Identity> Identify(Connection& db);

// Brings the file to the last of `migrations`; kInvalidArgument, and no change, when it is newer
// than that.
Result<void> Migrate(Connection& db, std::span<const Migration> migrations);

}  // namespace fedra::store
