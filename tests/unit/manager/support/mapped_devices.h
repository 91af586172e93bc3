#pragma once
//
// A worker's devices in every state that a map of them can show.
//
// node-a: a card in partitions, of which one is held by ml/serve-gpu. node-b: gpu-0 free, gpu-1
// with a taint of its driver, gpu-2 with one of a DeviceTaintRule and held by ml/train-gpu, gpu-3
// held in shares. node-c does not exist. node-d has half of a pool. Two NICs are reached by all
// nodes.

#include <memory>

#include "manager/report/device_inventory.h"

namespace fedra::testing {

report::DeviceSource MappedDevices();

}  // namespace fedra::testing
