#pragma once
//
// Every published device of a worker once: as some node sees it, or why none does. What counts them
// (device_inventory.h) and what lists them (device_map.h) go through them here, so that they agree.
//
// Pure.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dra/model/snapshot.h"

namespace fedra::report {

enum class DeviceCondition {
  kFree,
  kAllocated,  // held as a whole
  kShared,     // held in shares; more of them may be had
  kTainted,    // nothing but a taint keeps pods away
  kUnusable,
};
inline constexpr std::array kDeviceConditions = {
    DeviceCondition::kFree, DeviceCondition::kAllocated, DeviceCondition::kShared,
    DeviceCondition::kTainted, DeviceCondition::kUnusable};

// "Free": as documents and tables show it.
std::string_view ToString(DeviceCondition condition);

// What can be said of a device now.
struct DeviceNow {
  DeviceCondition condition = DeviceCondition::kFree;
  bool is_tainted = false;  // a taint keeps away pods that do not tolerate it, in use or not
};

// How a pool's devices are seen.
struct PoolSight {
  std::string node;         // that sees them; empty: many nodes reach them
  bool node_exists = true;  // false: no pod gets them
  std::shared_ptr<const dra::PoolView> view;
};

// A device that cannot be used from any node.
struct UnseenDevice {
  const dra::Slice* slice;
  const dra::Device* device;
};

enum class WhyUnseen { kNotReached, kIncomplete, kInvalid };

struct UnseenDevices {
  std::vector<UnseenDevice> devices;  // of the newest generation
  WhyUnseen why = WhyUnseen::kNotReached;
  std::string problem;  // for people
};

// Of one pool. What is seen has its devices; lifetime: the snapshot.
struct PoolWalk {
  std::vector<PoolSight> seen;
  UnseenDevices unseen;
};

PoolWalk WalkPool(const dra::Snapshot& snapshot, const dra::PoolState& pool);

DeviceNow NowOf(const PoolSight& sight, size_t device, const dra::AllocatorFeatures& features);

}  // namespace fedra::report
