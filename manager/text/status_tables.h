#pragma once
//
// The two tables of fedra status. Pure.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

// One row per worker, in the order of the configuration.
Table WorkerTable(const report::StatusData& data, const ViewSettings& settings);
// One row per workload, in the order given. With the places in line when wide, or sorted by them.
Table JobTable(const std::vector<store::WorkloadRow>& rows, const report::StatusData& data,
               const ViewSettings& settings);

}  // namespace fedra::text
