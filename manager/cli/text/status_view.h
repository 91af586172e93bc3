#pragma once
//
// fedra status: the fleet and its jobs, or one of the two. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/status_model.h"

namespace fedra::cli {

// fedra status; fedra status workers; fedra status jobs. What needs attention comes first.
Output RenderStatus(const report::StatusData& data, const ViewSettings& settings);
Output RenderWorkers(const report::StatusData& data, const ViewSettings& settings);
Output RenderJobs(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::cli
