#pragma once
//
// Table intents.
//
// Thread rules: those of the connection.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const AddIntent& change);
Result<void> Apply(Connection& db, const EndIntent& change);

// Oldest first.
Result<std::vector<IntentRow>> LoadIntents(Connection& db);
// The highest id in the table; 0 when it is empty.
Result<int64_t> HighestIntentId(Connection& db);

}  // namespace fedra::store
