#pragma once
//
// The devices of the workers for programs, and what `devices` shows of them. Pure functions.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/as_of.h"
#include "manager/report/device_counts.h"

namespace fedra::report {

struct WorkerDevices {
  std::string worker;
  std::string problem;  // why nothing is known; empty: it is
  DeviceInventory inventory;
};

// DeviceReport: what `devices` prints as JSON.
nlohmann::ordered_json DeviceDocument(const std::vector<WorkerDevices>& workers, const AsOf& as_of);
// Those of which nothing is known.
std::vector<UnreadWorker> UnreadOf(const std::vector<WorkerDevices>& workers);

// One driver's devices of one class, over all nodes.
struct ClassCount {
  DeviceCount count;
  std::set<std::string> nodes;
};
// By driver and class.
using Classes = std::map<std::pair<std::string, std::string>, ClassCount>;
Classes ClassesOf(const DeviceInventory& inventory);

// Whether a device is shown at all.
bool HasAny(const std::vector<WorkerDevices>& workers);
// Whether the filter matched nothing while a selector was an error on some device: as for `fedra
// cel` that is not the same as "nothing matches".
bool OnlyFails(const std::vector<WorkerDevices>& workers);

// Whether the class that was asked for exists on no worker that could be read, and one could be.
bool ClassIsNowhere(const std::vector<WorkerDevices>& workers);

// What `devices` ends with: kUnknown where a worker could not be read, kFailed where the class is
// nowhere, kEvaluationError where nothing but errors came of the selector; else 0.
int ExitCodeOf(const std::vector<WorkerDevices>& workers);

}  // namespace fedra::report
