#pragma once
//
// The two tables of fedra status. Pure.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/cli/text/output.h"
#include "manager/report/view_data.h"

namespace fedra::cli {

// Jobs that are on, or on their way to, each worker; not those that have ended.
std::map<ClusterName, size_t> JobsByWorker(const StatusData& data);

// Copies of jobs that were taken from each worker while it was out of reach: they may still run
// there. Not those of jobs that ended on that worker.
std::map<ClusterName, size_t> LeftByWorker(const StatusData& data);

// Each workload's places in line, the best first, by uid.
using PlacesByUid = std::map<std::string, std::vector<store::PlaceRow>>;
PlacesByUid InLine(const StatusData& data);

// One row per worker, in the order of the configuration.
Table WorkerTable(const StatusData& data, const ViewSettings& settings);
// One row per workload, in the order given. With the places in line when wide, or sorted by them.
Table JobTable(const std::vector<store::WorkloadRow>& rows, const StatusData& data,
               const ViewSettings& settings);

}  // namespace fedra::cli
