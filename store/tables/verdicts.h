#pragma once
//
// Table verdicts: the latest of each workload on each cluster.
//
// Thread rules: those of the connection.

#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutVerdicts& change);

// In the order of the configuration; clusters that are no longer configured come last, by name.
Result<std::vector<VerdictRow>> LoadVerdicts(Connection& db, const std::string& uid);

}  // namespace fedra::store
