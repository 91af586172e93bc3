#pragma once
//
// How many devices a worker publishes, and what became of them, for metrics. Pure.

#include <map>
#include <string>

#include "dra/model/snapshot.h"

namespace fedra::verify {

// The devices of one driver; each is counted once.
struct DeviceStock {
  int free = 0;
  int allocated = 0;  // to one claim
  int shared = 0;     // in use by claims that leave some of it to others
  int tainted = 0;    // none of these, and kept from pods that do not tolerate it

  bool operator==(const DeviceStock&) const = default;
};

// Of more drivers the rest is counted together, as "other".
inline constexpr size_t kMaxDriversCounted = 16;

// By driver. Looks at every device: some 100 ns each.
std::map<std::string, DeviceStock> StockOf(const dra::Snapshot& snapshot);

}  // namespace fedra::verify
