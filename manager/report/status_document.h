#pragma once
//
// The fleet and its jobs for programs: what `status` prints as JSON. Pure functions.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/query.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// What of the fleet is reported on: StatusReport, WorkerReport or JobReport.
enum class Parts { kBoth, kWorkers, kJobs };
inline bool HasWorkers(Parts parts) { return parts != Parts::kJobs; }
inline bool HasJobs(Parts parts) { return parts != Parts::kWorkers; }

nlohmann::ordered_json StatusDocument(Parts parts, const StatusData& data, const Query& query);

// The places in line of each job that is shown, the best first, by uid.
using PlacesByUid = std::map<std::string, std::vector<store::PlaceRow>>;
PlacesByUid InLine(const StatusData& data);

}  // namespace fedra::report
