#pragma once
//
// Living jobs, counted by what they have in common: from the index workloads_listed.
//
// Thread rules: those of the connection.

#include <vector>

#include "base/result.h"
#include "store/connection.h"
#include "store/job_query.h"
#include "store/tables/job_selection.h"

namespace fedra::store {

// Of all that the query would list without a limit. The largest first, of equal ones by name.
Result<std::vector<JobGroup>> LoadJobGroups(Connection& db, const JobQuery& query,
                                            JobGrouping grouping, const ShownNamespaces& shown);

}  // namespace fedra::store
