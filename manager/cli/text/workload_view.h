#pragma once
//
// fedra status NAMESPACE/NAME: one workload, where it is and where it has been. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/status_model.h"

namespace fedra::cli {

Output RenderWorkload(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::cli
