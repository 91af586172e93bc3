#pragma once
//
// Table places: where waiting workloads stand in line.
//
// Thread rules: those of the connection.

#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutPlaces& change);

// By place, then by cluster. `uid` empty: of all workloads, by workload first.
Result<std::vector<PlaceRow>> LoadPlaces(Connection& db, const std::string& uid);

}  // namespace fedra::store
