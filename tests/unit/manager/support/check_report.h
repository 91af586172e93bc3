#pragma once
//
// A CheckReport in which no field is left out.

#include <nlohmann/json_fwd.hpp>

#include "manager/report/job_report.h"

namespace fedra::testing {

// One job on one worker, with everything that can be said of it.
report::JobReport FullJobReport();

nlohmann::ordered_json FullCheckReport();

}  // namespace fedra::testing
