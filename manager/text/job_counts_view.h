#pragma once
//
// fedra status jobs --group-by: how many jobs there are of each kind. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

// The largest group first. By name: the groups' names.
Output RenderJobCounts(const report::StatusData& data, const ViewSettings& settings);

}  // namespace fedra::text
