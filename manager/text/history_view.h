#pragma once
//
// fedra history NAMESPACE/NAME: what happened to a job, also to its earlier incarnations. Pure.

#include "manager/report/status_model.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::text {

Output RenderHistory(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::text
