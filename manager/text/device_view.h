#pragma once
//
// What `fedra devices` shows: by class, by pool and node, or for programs. Pure.

#include <string>
#include <vector>

#include "manager/report/device_report.h"
#include "manager/text/output.h"

namespace fedra::text {

// Notes and problems go to the note, one line each. `device_class`: the filter's, for a hint.
Output RenderDevices(const std::vector<report::WorkerDevices>& workers, const report::AsOf& as_of,
                     Format format, const Style& style, const std::string& device_class = {});

}  // namespace fedra::text
