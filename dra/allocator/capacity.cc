#include "dra/allocator/capacity.h"

#include <algorithm>
#include <limits>

namespace fedra::dra {
namespace {

// Steps are counted in whole units (fractions rounded up) before 1.37, in thousandths since.
int64_t Units(const Quantity& quantity, const AllocatorFeatures& features) {
  return features.fractional_ranges ? quantity.MilliValue() : quantity.Value();
}

Quantity FromUnits(int64_t units, const AllocatorFeatures& features) {
  if (!features.fractional_ranges) return Quantity(units);
  return Quantity::Parse(std::to_string(units) + "m").value_or(Quantity(units / 1000));
}

__extension__ using Wide = __int128;

constexpr int64_t kMostUnits = std::numeric_limits<int64_t>::max();

bool IsRounded(const Quantity& requested, const RequestPolicy::Range& range) {
  return requested >= *range.min && range.step && range.step->Sign() > 0;
}

Wide RoundedUnits(const Quantity& requested, const RequestPolicy::Range& range,
                  const AllocatorFeatures& features) {
  const Wide step = Units(*range.step, features);
  const Wide min = Units(*range.min, features);
  const Wide added = Units(requested, features) - min;
  return min + (added + step - 1) / step * step;
}

Quantity RoundUpToRange(const Quantity& requested, const RequestPolicy::Range& range,
                        const AllocatorFeatures& features) {
  if (requested < *range.min) return *range.min;
  if (!IsRounded(requested, range)) return requested;
  const Wide value = std::min(RoundedUnits(requested, range, features), Wide{kMostUnits});
  const Quantity rounded = FromUnits(static_cast<int64_t>(value), features);
  // For people: the same number in the notation of the request.
  const std::optional<Quantity> more = rounded.Sub(requested);
  return (more ? requested.Add(*more) : more).value_or(rounded);
}

bool ViolatesRange(const Quantity& consumed, const RequestPolicy::Range& range,
                   const AllocatorFeatures& features) {
  if (range.max && consumed > *range.max) return true;
  if (!range.step || range.step->Sign() <= 0) return false;
  const Wide min = range.min ? Units(*range.min, features) : 0;
  return (Units(consumed, features) - min) % Units(*range.step, features) != 0;
}

bool Violates(const Quantity& consumed, const RequestPolicy& policy,
              const AllocatorFeatures& features) {
  if (policy.default_value && consumed == *policy.default_value) return false;
  if (policy.valid_range) return ViolatesRange(consumed, *policy.valid_range, features);
  if (policy.valid_values.empty()) return false;
  return std::find(policy.valid_values.begin(), policy.valid_values.end(), consumed) ==
         policy.valid_values.end();
}

Quantity NeedOf(const Capacity& capacity, const DeviceRequest& request,
                const AllocatorFeatures& features) {
  return ConsumedCapacity(capacity, FindAmount(request.capacity, capacity.name), features);
}

// The first capacity that the request names and the device does not have. Null: it has all.
const std::pair<Symbol, Quantity>* FindUnpublished(const Device& device,
                                                   const DeviceRequest& request) {
  for (const auto& wanted : request.capacity) {
    const auto is_wanted = [&](const Capacity& capacity) { return capacity.name == wanted.first; };
    if (!device.capacity ||
        std::none_of(device.capacity->begin(), device.capacity->end(), is_wanted))
      return &wanted;
  }
  return nullptr;
}

// The first capacity of which too little is left, or whose policy is broken. Null: none.
const Capacity* FindExhausted(const Device& device, const DeviceRequest& request,
                              std::span<const Amounts* const> taken,
                              const AllocatorFeatures& features) {
  if (!device.capacity) return nullptr;
  for (const Capacity& capacity : *device.capacity) {
    const Quantity need = NeedOf(capacity, request, features);
    if (capacity.policy && Violates(need, *capacity.policy, features)) return &capacity;
    Quantity sum = need;
    for (const Amounts* amounts : taken)
      if (const Quantity* used = FindAmount(*amounts, capacity.name)) sum = sum.AddUp(*used);
    if (sum > capacity.value) return &capacity;
  }
  return nullptr;
}

}  // namespace

Quantity ConsumedCapacity(const Capacity& capacity, const Quantity* requested,
                          const AllocatorFeatures& features) {
  const auto& policy = capacity.policy;
  if (requested == nullptr)
    return policy && policy->default_value ? *policy->default_value : capacity.value;
  if (!policy) return *requested;
  if (policy->valid_range && policy->valid_range->min)
    return RoundUpToRange(*requested, *policy->valid_range, features);
  for (const Quantity& valid : policy->valid_values)
    if (*requested <= valid) return valid;
  return *requested;
}

Amounts ConsumedCapacities(const Device& device, const DeviceRequest& request,
                           const AllocatorFeatures& features) {
  Amounts consumed;
  if (!device.capacity) return consumed;
  for (const Capacity& capacity : *device.capacity)
    consumed.emplace_back(capacity.name, NeedOf(capacity, request, features));
  return consumed;
}

Quantity CapacityLeft(const Capacity& capacity, std::span<const Amounts* const> taken) {
  Quantity left = capacity.value;
  for (const Amounts* amounts : taken) {
    const Quantity* used = FindAmount(*amounts, capacity.name);
    if (used) left = left.Sub(*used).value_or(left);
  }
  return left;
}

bool CapacityFits(const Device& device, const DeviceRequest& request,
                  std::span<const Amounts* const> taken, const AllocatorFeatures& features) {
  return FindUnpublished(device, request) == nullptr &&
         FindExhausted(device, request, taken, features) == nullptr;
}

bool RoundingOverflows(const Device& device, const DeviceRequest& request,
                       const AllocatorFeatures& features) {
  if (!device.capacity || FindUnpublished(device, request) != nullptr) return false;
  return std::ranges::any_of(*device.capacity, [&](const Capacity& capacity) {
    const Quantity* requested = FindAmount(request.capacity, capacity.name);
    if (requested == nullptr || !capacity.policy || !capacity.policy->valid_range) return false;
    const RequestPolicy::Range& range = *capacity.policy->valid_range;
    if (!range.min || !IsRounded(*requested, range)) return false;
    if (*requested > FromUnits(kMostUnits, features)) return true;
    return range.min->Sign() >= 0 && RoundedUnits(*requested, range, features) > kMostUnits;
  });
}

std::optional<CapacityShortage> FindShortage(const Device& device, const DeviceRequest& request,
                                             std::span<const Amounts* const> taken,
                                             const AllocatorFeatures& features) {
  if (const auto* wanted = FindUnpublished(device, request))
    return CapacityShortage{.name = wanted->first, .need = wanted->second, .left = {}};
  const Capacity* exhausted = FindExhausted(device, request, taken, features);
  if (exhausted == nullptr) return std::nullopt;
  const Quantity need = NeedOf(*exhausted, request, features);
  return CapacityShortage{
      .name = exhausted->name,
      .need = need,
      .left = CapacityLeft(*exhausted, taken),
      .refused = exhausted->policy && Violates(need, *exhausted->policy, features)};
}

bool HasPolicy(const Device& device) {
  return device.capacity &&
         std::any_of(device.capacity->begin(), device.capacity->end(),
                     [](const Capacity& capacity) { return capacity.policy.has_value(); });
}

}  // namespace fedra::dra
