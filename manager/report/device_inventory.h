#pragma once
//
// The devices of workers, counted: what is published, and what of it could be had right now.
// Pure.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "dra/judge/explain.h"
#include "dra/model/snapshot.h"
#include "manager/report/device_counts.h"
#include "manager/report/device_report.h"

namespace fedra::report {

struct DeviceFilter {
  std::string device_class;  // only devices that its selectors match, as it is on the worker
  std::string selector;      // CEL; only devices that it matches
};

// kInvalidArgument when the filter's selector is no selector, with what to write instead.
Result<DeviceInventory> TakeInventory(const dra::Snapshot& snapshot, const DeviceFilter& filter);

// One worker, before its devices are counted.
struct DeviceSource {
  std::string worker;
  std::string problem;  // why nothing can be said about its devices; empty: something can
  std::shared_ptr<const dra::Snapshot> snapshot;  // null with a problem
  // Whose pods use which claim; null: not known.
  std::shared_ptr<const dra::JobOfClaim> jobs = nullptr;
};

// Each of them, in the same order. Errors as of TakeInventory.
Result<std::vector<WorkerDevices>> CountDevices(const std::vector<DeviceSource>& sources,
                                                const DeviceFilter& filter);

}  // namespace fedra::report
