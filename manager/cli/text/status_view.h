#pragma once
//
// fedra status: the fleet and its workloads, or one of the two. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_data.h"

namespace fedra::cli {

// fedra status; fedra status clusters; fedra status workloads. What needs attention comes first.
Output RenderStatus(const StatusData& data, const ViewSettings& settings);
Output RenderClusters(const StatusData& data, const ViewSettings& settings);
Output RenderWorkloads(const StatusData& data, const ViewSettings& settings);

}  // namespace fedra::cli
