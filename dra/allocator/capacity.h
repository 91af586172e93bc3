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

#include <optional>
#include <span>

#include "dra/model/features.h"
#include "dra/model/model.h"
#include "dra/model/pool.h"

namespace fedra::dra {

// Rounded up to what the policy allows; the default or the full value when nothing is requested.
Quantity ConsumedCapacity(const Capacity& capacity, const Quantity* requested,
                          const AllocatorFeatures& features);

// What the request takes of every capacity of the device.
Amounts ConsumedCapacities(const Device& device, const DeviceRequest& request,
                           const AllocatorFeatures& features);

// What is left of the capacity beside what is `taken` (summed over all lists); may be negative.
Quantity CapacityLeft(const Capacity& capacity, std::span<const Amounts* const> taken);

// A capacity that does not suffice.
struct CapacityShortage {
  Symbol name;
  Quantity need;                 // what the policy adds included
  std::optional<Quantity> left;  // absent: the device does not publish it
  bool refused = false;          // the policy does not allow such an amount
};

// There is room for the request beside what is `taken` already.
bool CapacityFits(const Device& device, const DeviceRequest& request,
                  std::span<const Amounts* const> taken, const AllocatorFeatures& features);
// Whether an amount of the request, or what the device's range rounds it up to, is more than the
// scheduler's integers hold (roundUpRange of consumable_capacity.go, 1.37.2).
bool RoundingOverflows(const Device& device, const DeviceRequest& request,
                       const AllocatorFeatures& features);
// For people: the first capacity that keeps it from fitting: too little of it is left, it is not
// published, or its policy is broken.
std::optional<CapacityShortage> FindShortage(const Device& device, const DeviceRequest& request,
                                             std::span<const Amounts* const> taken,
                                             const AllocatorFeatures& features);

// Some capacity has a requestPolicy: requests that name no amount may not fit either.
bool HasPolicy(const Device& device);

}  // namespace fedra::dra
