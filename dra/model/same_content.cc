#include "dra/model/same_content.h"

#include <algorithm>

namespace fedra::dra {
namespace {

// By content.
template <class T>
bool SameShared(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

bool SameDevice(const Device& a, const Device& b) {
  return a.name == b.name && a.own == b.own && a.allow_multiple == b.allow_multiple &&
         SameShared(a.common, b.common) && SameShared(a.capacity, b.capacity) &&
         SameShared(a.consumes, b.consumes) && SameShared(a.extras, b.extras);
}

bool SameAllocation(const Allocation& a, const Allocation& b) {
  return a.devices == b.devices && a.has_timestamp == b.has_timestamp &&
         a.binding_failure == b.binding_failure && SameShared(a.node_selector, b.node_selector);
}

}  // namespace

bool SameContent(const Slice& a, const Slice& b) {
  return a.name == b.name && a.pool == b.pool && a.generation == b.generation &&
         a.pool_slices == b.pool_slices && a.reach == b.reach && a.per_device == b.per_device &&
         a.has_per_device == b.has_per_device && a.counters == b.counters &&
         a.skips_operations == b.skips_operations && a.position == b.position &&
         std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end(),
                    SameDevice);
}

bool SameContent(const DeviceClass& a, const DeviceClass& b) { return a == b; }

bool SameContent(const Claim& a, const Claim& b) {
  if (a.allocation.has_value() != b.allocation.has_value()) return false;
  return a.key == b.key && a.uid == b.uid && a.spec == b.spec && a.reserved_for == b.reserved_for &&
         a.deleting == b.deleting &&
         (!a.allocation || SameAllocation(*a.allocation, *b.allocation));
}

bool SameContent(const ClaimTemplate& a, const ClaimTemplate& b) {
  return a.key == b.key && a.uid == b.uid && SameShared(a.spec, b.spec);
}

bool SameContent(const TaintRule& a, const TaintRule& b) { return a == b; }

bool SameContent(const Node& a, const Node& b) {
  return a.name == b.name && a.labels == b.labels && a.taints == b.taints &&
         a.unschedulable == b.unschedulable && a.allocatable == b.allocatable &&
         a.optional_operations == b.optional_operations;
}

}  // namespace fedra::dra
