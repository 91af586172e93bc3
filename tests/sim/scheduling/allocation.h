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

// status.allocation of each claim, in the order of `specs` (claim specs); nothing when they do not
// fit there together. Results of devices that several may have still lack their shareID.
std::optional<std::vector<Json>> AllocateOn(const Json& node, const std::vector<const Json*>& specs,
                                            const Inventory& inventory,
                                            const FindClass& find_class);

}  // namespace fedra::sim
