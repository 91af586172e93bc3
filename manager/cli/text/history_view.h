#pragma once
//
// fedra history NAMESPACE/NAME: what happened to a job, also to its earlier incarnations. Pure.

#include "manager/cli/text/output.h"
#include "manager/cli/text/view_settings.h"
#include "manager/report/status_model.h"

namespace fedra::cli {

Output RenderHistory(const report::WorkloadData& data, const ViewSettings& settings);

}  // namespace fedra::cli
