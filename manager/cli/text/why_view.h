#pragma once
//
// fedra why NAMESPACE/NAME: for each worker why it can or cannot run the workload, and what would
// help. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/status_model.h"

namespace fedra::cli {

Output RenderWhy(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::cli
