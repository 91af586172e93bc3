#pragma once
//
// What `fedra check` says about one job: the table of workers, the full explanation of every
// refusal, and the same for programs. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/job_report.h"
#include "manager/text/output.h"

namespace fedra::text {

std::string RenderReport(const report::JobReport& report, const Style& style);

}  // namespace fedra::text
