#pragma once
//
// fedra status: the fleet and its jobs, or one of the two. Pure.

#include "manager/cli/text/output.h"
#include "manager/report/view_data.h"

namespace fedra::cli {

// fedra status; fedra status workers; fedra status jobs. What needs attention comes first.
Output RenderStatus(const StatusData& data, const ViewSettings& settings);
Output RenderWorkers(const StatusData& data, const ViewSettings& settings);
Output RenderJobs(const StatusData& data, const ViewSettings& settings);

}  // namespace fedra::cli
