#pragma once
//
// Table events: append-only until retention.
//
// Thread rules: those of the connection.

#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const AddEvent& change);

// Oldest first.
Result<std::vector<EventRow>> LoadEvents(Connection& db, const std::string& uid);

}  // namespace fedra::store
