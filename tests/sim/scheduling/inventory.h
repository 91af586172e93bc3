#pragma once
//
// The devices of one cluster as its slices publish them now, and what of them is taken.
//
// Thread rules: a plain value; it refers to objects of the store, whose lock the caller holds for
// as long as it lives.

#include <map>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "tests/sim/api/store.h"

namespace fedra::sim {

using Capacities = std::map<std::string, Quantity>;

// Names a device in a cluster.
struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;
  auto operator<=>(const DeviceId&) const = default;
};

// What claims hold of one device.
struct DeviceUse {
  bool dedicated = false;  // no other claim may have it
  Capacities shared;       // consumed of a device that several may have
};

struct Device {
  DeviceId id;
  const Json* slice = nullptr;  // its slice's spec
  const Json* body = nullptr;   // its entry there
  Json view;                    // for selectors
  std::vector<Json> taints;     // its own and those of rules
};

struct Inventory {
  std::vector<Device>
      devices;  // of complete pools, newest generation, in the order of the slices' names
  bool incomplete = false;  // some pool is not published completely
  std::map<DeviceId, DeviceUse> used;
  // Counter sets by driver, pool and name, as published.
  std::map<DeviceId, const Json*> counters;
};

Inventory ReadInventory(const Store& store, const Registry& registry);

// The object that says from which nodes the device can be used: its slice's spec, or its own entry.
const Json& NodesOf(const Device& device);
// Whether the device can be used from the node.
bool ReachesNode(const Device& device, const Json& node);

// Adds what an allocation result consumes.
void AddUse(const Json& result, std::map<DeviceId, DeviceUse>& used);

}  // namespace fedra::sim
