#pragma once
//
// Table attempts. The beginning and the end of an attempt may arrive in either order: both give the
// same row.
//
// Thread rules: those of the connection.

#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutAttempt& change);
Result<void> Apply(Connection& db, const EndAttempt& change);
Result<void> Apply(Connection& db, const EndEarlierAttempts& change);

// Oldest first.
Result<std::vector<AttemptRow>> LoadAttempts(Connection& db, const std::string& uid);

}  // namespace fedra::store
