#pragma once
//
// Table workloads: living ones, and removed ones until retention.
//
// Thread rules: those of the connection.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/changes.h"
#include "store/connection.h"
#include "store/reader.h"

namespace fedra::store {

Result<void> Apply(Connection& db, const PutWorkload& change);
Result<void> Apply(Connection& db, const RemoveWorkload& change);

// Living ones, by namespace and job name.
Result<std::vector<WorkloadRow>> LoadWorkloads(Connection& db, const WorkloadFilter& filter);
// Null: there is none that lives.
Result<std::optional<WorkloadRow>> LoadWorkload(Connection& db, const std::string& uid);
// Null: it is not known, or not any more.
Result<std::optional<WorkloadRow>> LoadWorkloadOrDeleted(Connection& db, const std::string& uid);
// Living ones first, then the newest first.
Result<std::vector<WorkloadRow>> LoadWorkloadsNamed(Connection& db, const ObjectKey& name);

}  // namespace fedra::store
