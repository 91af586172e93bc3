#pragma once
//
// Jobs by the page: living ones from the index workloads_listed, deleted ones from
// workloads_deleted.
//
// Thread rules: those of the connection.

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/connection.h"
#include "store/job_query.h"
#include "store/tables/job_selection.h"

namespace fedra::store {

Result<JobPage> LoadJobPage(Connection& db, const JobQuery& query, const ShownNamespaces& shown);

// What states there are; what workers jobs are or were on; what they are called, in order.
Result<std::vector<std::string>> LoadJobStates(Connection& db);
Result<std::set<std::string>> LoadJobWorkers(Connection& db, const ShownNamespaces& shown);
Result<std::vector<ObjectKey>> LoadJobNames(Connection& db, const ShownNamespaces& shown);

}  // namespace fedra::store
