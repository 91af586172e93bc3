#pragma once
//
// fedra status jobs --group-by: how many jobs there are of each kind. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/status_model.h"

namespace fedra::cli {

// The largest group first. By name: the groups' names.
Output RenderJobCounts(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::cli
