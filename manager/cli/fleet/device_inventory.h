#pragma once
//
// The devices of one worker, counted: what is published, and what of it could be had right now.
// Pure.

#include <string>

#include "base/result.h"
#include "dra/model/snapshot.h"
#include "manager/report/device_counts.h"

namespace fedra::cli {

struct DeviceFilter {
  std::string device_class;  // only devices that its selectors match, as it is on the worker
  std::string selector;      // CEL; only devices that it matches
};

// kInvalidArgument when the filter's selector is no selector, with what to write instead.
Result<report::DeviceInventory> TakeInventory(const dra::Snapshot& snapshot,
                                              const DeviceFilter& filter);

}  // namespace fedra::cli
