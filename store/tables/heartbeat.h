#pragma once
//
// Table heartbeat: one row.
//
// Thread rules: those of the connection.

#include <optional>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const SetHeartbeat& change);

// Null: no daemon wrote here yet.
Result<std::optional<HeartbeatRow>> LoadHeartbeat(Connection& db);

}  // namespace fedra::store
