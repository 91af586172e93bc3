#pragma once
//
// Table attempts. An attempt begins with a row and ends once.
//
// Thread rules: those of the connection.

#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutAttempt& change);
// Those that end by it are added to `ended`.
Result<void> Apply(Connection& db, const EndAttempts& change, std::vector<EndedAttempt>& ended);
Result<void> Apply(Connection& db, const EndEarlierAttempts& change,
                   std::vector<EndedAttempt>& ended);
Result<void> Apply(Connection& db, const RemoveLaterAttempts& change);

// By the UID of the workload the number of its last attempt; of those that have had one.
Result<std::unordered_map<std::string, int>> LoadLastNumbers(Connection& db);
// Oldest first.
Result<std::vector<AttemptRow>> LoadAttempts(Connection& db, const std::string& uid);

}  // namespace fedra::store
