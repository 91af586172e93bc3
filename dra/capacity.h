#pragma once
//
// Consumable capacity: how much of each capacity a request takes of a device, and whether that
// fits.
//
// Source: structured/internal/incubating consumable_capacity.go, 1.36.3. Names are compared as
// written: a claim's "gpu.example.com/memory" is not a device's "memory". The check also runs on
// devices that cannot be shared: there a request is a filter, and what is not requested counts in
// full.
//
// Pure functions.

#include <span>

#include "dra/features.h"
#include "dra/model.h"
#include "dra/pool.h"

namespace fedra::dra {

// Rounded up to what the policy allows; the default or the full value when nothing is requested.
Quantity ConsumedCapacity(const Capacity& capacity, const Quantity* requested,
                          const AllocatorFeatures& features);

// What the request takes of every capacity of the device.
Amounts ConsumedCapacities(const Device& device, const DeviceRequest& request,
                           const AllocatorFeatures& features);

// Whether the request fits beside what is `taken` already (summed over all lists). False as well
// when it asks for a capacity that the device does not publish or breaks its policy.
bool CapacityFits(const Device& device, const DeviceRequest& request,
                  std::span<const Amounts* const> taken, const AllocatorFeatures& features);

}  // namespace fedra::dra
