#pragma once
//
// The two tables of fedra status. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

// One row per worker, in the order of the configuration.
Table WorkerTable(const report::StatusData& data, const ViewSettings& settings);
// One row per workload that is shown. With the places in line when wide, or sorted by them.
Table JobTable(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::text
