#pragma once
//
// fedra status NAMESPACE/NAME: one workload, where it is and where it has been. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

Output RenderWorkload(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::text
