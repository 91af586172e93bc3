#pragma once
//
// fedra status: the fleet and its jobs, or one of the two. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

// fedra status; fedra status workers; fedra status jobs. What needs attention comes first.
Output RenderStatus(const report::StatusData& data, const ViewSettings& settings);
Output RenderWorkers(const report::StatusData& data, const ViewSettings& settings);
Output RenderJobs(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::text
