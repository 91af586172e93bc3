#pragma once
//
// Living jobs by the page, and counted: all of it from the index workloads_listed.
//
// Thread rules: those of the connection.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/connection.h"
#include "store/job_query.h"

namespace fedra::store {

// The namespaces whose jobs there are; null: all.
using ShownNamespaces = std::optional<std::set<std::string>>;

Result<JobPage> LoadJobPage(Connection& db, const JobQuery& query, const ShownNamespaces& shown);
// Of all that the query would list without a limit. The largest first, of equal ones by name.
Result<std::vector<JobGroup>> LoadJobGroups(Connection& db, const JobQuery& query,
                                            JobGrouping grouping, const ShownNamespaces& shown);

// What states there are; what workers jobs are or were on; what they are called, in order.
Result<std::vector<std::string>> LoadJobStates(Connection& db);
Result<std::set<std::string>> LoadJobWorkers(Connection& db, const ShownNamespaces& shown);
Result<std::vector<ObjectKey>> LoadJobNames(Connection& db, const ShownNamespaces& shown);

}  // namespace fedra::store
