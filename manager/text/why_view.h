#pragma once
//
// fedra why NAMESPACE/NAME: for each worker why it can or cannot run the workload, and what would
// help. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

Output RenderWhy(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::text
