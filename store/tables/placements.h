#pragma once
//
// Tables placements, placement_nominated and placement_failures.
//
// Thread rules: those of the connection.

#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutPlacement& change);
Result<void> Apply(Connection& db, const RemovePlacement& change);

// By uid.
Result<std::vector<PlacementRow>> LoadPlacements(Connection& db);
// Of one workload, oldest first.
Result<std::vector<PlacementFailure>> LoadFailures(Connection& db, const std::string& uid);

}  // namespace fedra::store
