#pragma once
//
// The devices of one worker for programs: what `devices --map` prints as JSON. Pure.

#include <nlohmann/json_fwd.hpp>

#include "manager/report/as_of.h"
#include "manager/report/device_map.h"

namespace fedra::report {

// DeviceMap
nlohmann::ordered_json DeviceMapDocument(const DeviceMap& map, const AsOf& as_of);

}  // namespace fedra::report
