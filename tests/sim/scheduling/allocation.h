#pragma once
//
// Devices for the claims of one pod on one node: the first set, in the order in which slices list
// devices, that satisfies every request, constraint, counter and capacity. All claims together;
// plain backtracking with a limit, which is enough for the handful of devices of a scenario.
//
// Thread rules: pure. What it refers to belongs to the store, whose lock the caller holds.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/scheduling/inventory.h"

namespace fedra::sim {

// The DeviceClass of that name, or a null pointer.
using FindClass = std::function<const Json*(const std::string& name)>;

struct Allocation {
  // status.allocation of each claim; nothing: they do not fit there together. Results of devices
  // that several may have still lack their shareID.
  std::optional<std::vector<Json>> claims;
  // Why the scheduler gives the pod up, whatever other nodes have: a selector that fails. Or empty.
  std::string error;
};

// For the claims with these specs, in that order.
Allocation AllocateOn(const Json& node, const std::vector<const Json*>& specs,
                      const Inventory& inventory, const FindClass& find_class);

}  // namespace fedra::sim
