#pragma once
//
// What `fedra devices` shows: by class, by pool and node, or for programs. Pure.

#include <string>
#include <vector>

#include "manager/cli/text/output.h"
#include "manager/report/as_of.h"
#include "manager/report/device_counts.h"

namespace fedra::cli {

struct WorkerDevices {
  std::string worker;
  std::string problem;  // why nothing is known; empty: it is
  DeviceInventory inventory;
};

// Whether the filter matched nothing while a selector was an error on some device: as for `fedra
// cel` that is not the same as "nothing matches".
bool OnlyFails(const std::vector<WorkerDevices>& workers);

// Whether the class that was asked for exists on no worker that could be read, and one could be.
bool ClassIsNowhere(const std::vector<WorkerDevices>& workers);

// Notes and problems go to the note, one line each. `device_class`: the filter's, for a hint.
Output RenderDevices(const std::vector<WorkerDevices>& workers, const AsOf& as_of, Format format,
                     const Style& style, const std::string& device_class = {});

}  // namespace fedra::cli
