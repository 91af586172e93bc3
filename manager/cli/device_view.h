#pragma once
//
// What `fedra devices` shows: by class, by pool and node, or for programs. Pure.

#include <string>
#include <vector>

#include "manager/cli/device_inventory.h"
#include "manager/cli/output.h"

namespace fedra::cli {

struct WorkerDevices {
  std::string worker;
  std::string problem;  // why nothing is known; empty: it is
  DeviceInventory inventory;
};

// The notes go to the note: one line each.
// Whether the filter matched nothing while a selector was an error on some device: as for `fedra
// cel` that is not the same as "nothing matches".
bool OnlyFails(const std::vector<WorkerDevices>& workers);

Output RenderDevices(const std::vector<WorkerDevices>& workers, Format format, const Style& style);

}  // namespace fedra::cli
