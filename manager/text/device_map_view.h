#pragma once
//
// What `fedra devices --map` shows: a card per node, or for programs. Pure.

#include "manager/report/as_of.h"
#include "manager/report/device_map.h"
#include "manager/text/output.h"

namespace fedra::text {

// The note says how many nodes are behind the page, and how to get there.
Output RenderDeviceMap(const report::DeviceMap& map, const report::AsOf& as_of, Format format,
                       const Style& style);

}  // namespace fedra::text
