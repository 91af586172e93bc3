#pragma once
//
// The fleet and its jobs for programs: what `status` prints as JSON. Pure functions.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/types.h"
#include "manager/report/query.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// What of the fleet is reported on: StatusReport, WorkerReport or JobReport.
enum class Parts { kBoth, kWorkers, kJobs };
inline bool HasWorkers(Parts parts) { return parts != Parts::kJobs; }
inline bool HasJobs(Parts parts) { return parts != Parts::kWorkers; }

nlohmann::ordered_json StatusDocument(Parts parts, const StatusData& data, const Query& query);

// The jobs that the query asks for.
ChosenJobs JobsOf(const StatusData& data, const Query& query);

// Jobs that are on, or on their way to, each worker; not those that have ended.
std::map<ClusterName, size_t> JobsByWorker(const StatusData& data);

// Copies of jobs that were taken from each worker while it was out of reach: they may still run
// there. Not those of jobs that ended on that worker.
std::map<ClusterName, size_t> LeftByWorker(const StatusData& data);

// Each workload's places in line, the best first, by uid.
using PlacesByUid = std::map<std::string, std::vector<store::PlaceRow>>;
PlacesByUid InLine(const StatusData& data);

}  // namespace fedra::report
