#pragma once
//
// Table clusters.
//
// Thread rules: those of the connection.

#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutCluster& change);
Result<void> Apply(Connection& db, const RemoveCluster& change);

// In the order of the configuration.
Result<std::vector<ClusterRow>> LoadClusters(Connection& db);

}  // namespace fedra::store
