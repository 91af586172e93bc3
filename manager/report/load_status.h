#pragma once
//
// From the store to what `status` is about: each part alone, so that a question costs what it asks
// for.
//
// Errors: the store's.

#include "base/result.h"
#include "manager/report/query.h"
#include "manager/report/status_model.h"
#include "store/reader.h"

namespace fedra::report {

// The daemon, the manager and the workers, without jobs.
Result<StatusData> LoadFleet(store::Reader& reader);
// How many jobs are on each worker, or were left there.
Result<void> LoadJobsByWorker(store::Reader& reader, StatusData& data);

// What of the listed jobs is loaded beside their rows.
enum class JobDetail {
  kNone,
  kDocument,  // why they are blocked, and where they stand in line
  kWide,      // and when they were dispatched
};
Result<void> LoadJobs(store::Reader& reader, const Query& query, JobDetail detail,
                      StatusData& data);
// In place of a list. query.jobs.grouping is there.
Result<void> LoadGroups(store::Reader& reader, const Query& query, StatusData& data);

// Whether a living job is in this namespace.
Result<bool> HasJobs(store::Reader& reader, const std::string& ns);

}  // namespace fedra::report
