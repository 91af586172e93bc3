#include "dra/judge/gated_fields.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "dra/allocator/match.h"
#include "dra/judge/extended.h"

namespace fedra::dra {
namespace {

enum Gate : unsigned {
  kPartitions = 1,
  kBinding = 2,
  kShares = 4,
  kRequestedCapacity = 8,
  kDistinct = 16,
  kExtended = 32,
  kLists = 64,
  kFractions = 128,
};

constexpr std::array<std::pair<Gate, std::string_view>, 8> kWords = {{
    {kPartitions,
     "sharedCounters, consumesCounters or perDeviceNodeSelection "
     "(DRAPartitionableDevices)"},
    {kBinding, "bindingConditions or bindsToNode (DRADeviceBindingConditions)"},
    {kShares, "allowMultipleAllocations or requestPolicy (DRAConsumableCapacity)"},
    {kRequestedCapacity, "capacity of a request (DRAConsumableCapacity)"},
    {kDistinct, "distinctAttribute (DRAConsumableCapacity)"},
    {kExtended, "extendedResourceName (DRAExtendedResource)"},
    {kLists, "attributes that are lists (DRAListTypeAttributes)"},
    {kFractions, "a validRange in fractions (DRAFractionalCapacityRange)"},
}};

bool IsFraction(const std::optional<Quantity>& quantity) {
  return quantity && quantity->MilliValue() % 1000 != 0;
}

// useMilli of structured/internal/incubating/consumable_capacity.go, v0.37.2.
bool HasFractions(const Capacity& capacity) {
  if (!capacity.policy || !capacity.policy->valid_range) return false;
  const RequestPolicy::Range& range = *capacity.policy->valid_range;
  return IsFraction(range.min) || IsFraction(range.max) || IsFraction(range.step);
}

bool HasList(const AttributeList& attributes) {
  return std::any_of(attributes.begin(), attributes.end(), [](const Attribute& attribute) {
    return std::holds_alternative<ListPointer>(attribute.value);
  });
}

// Of all devices of the slice.
unsigned OfSlice(const Slice& slice, const AllocatorFeatures& features) {
  const bool partitions = slice.has_per_device || !slice.counters.empty();
  return partitions && !features.partitionable_devices ? unsigned{kPartitions} : 0U;
}

unsigned OfCapacity(const CapacityList& capacities, const AllocatorFeatures& features) {
  unsigned found = 0;
  for (const Capacity& capacity : capacities) {
    if (capacity.policy && !features.consumable_capacity) found |= kShares;
    const bool has_gate = features.release >= cel::KubernetesRelease::k137;
    if (has_gate && !features.fractional_ranges && HasFractions(capacity)) found |= kFractions;
  }
  return found;
}

unsigned OfDevice(const Device& device, const AllocatorFeatures& features) {
  unsigned found = 0;
  if (device.consumes && !features.partitionable_devices) found |= kPartitions;
  const DeviceExtras* extras = device.extras.get();
  const bool binds =
      extras != nullptr && (extras->binds_to_node || !extras->binding_conditions.empty());
  if (binds && !features.binding_conditions) found |= kBinding;
  if (device.allow_multiple && !features.consumable_capacity) found |= kShares;
  if (device.capacity) found |= OfCapacity(*device.capacity, features);
  const bool lists = HasList(device.own) || (device.common && HasList(*device.common));
  if (lists && !features.list_attributes) found |= kLists;
  return found;
}

unsigned OfClaims(const PodClaims& pod, const AllocatorFeatures& features) {
  unsigned found = 0;
  if (features.consumable_capacity) return found;
  for (const SubRequest& ask : pod.asks)
    if (ask.request->has_capacity) found |= kRequestedCapacity;
  for (const PreparedClaim& claim : pod.claims)
    for (const Constraint& constraint : claim.spec->constraints)
      if (!constraint.distinct_attribute.empty()) found |= kDistinct;
  return found;
}

// Of the devices that a request may take, or on which its selectors fail.
unsigned OfMatching(const SubRequest& ask, const Slice& slice, const AllocatorFeatures& features,
                    MatchCache& matches) {
  const unsigned of_slice = OfSlice(slice, features);
  const auto codes = matches.Match(ask.match, slice);
  const bool fails = matches.HasFailure(ask.match, slice);
  unsigned found = 0;
  for (size_t i = 0; i < slice.devices.size(); ++i)
    if (fails || codes[i] == kMatches) found |= of_slice | OfDevice(slice.devices[i], features);
  return found;
}

bool AsksForResourceOfClass(const PodDemand& demand, const Snapshot& snapshot) {
  return std::any_of(demand.requests.begin(), demand.requests.end(), [&](const auto& request) {
    if (request.second.Sign() <= 0 || !IsExtendedResource(request.first.view())) return false;
    bool named = false;
    snapshot.classes().ForEach([&](const Symbol&, const auto& device_class) {
      named = named || device_class->extended_resource == request.first;
    });
    return named;
  });
}

}  // namespace

unsigned GatedFieldsOf(const Slice& slice, const AllocatorFeatures& features) {
  unsigned found = OfSlice(slice, features);
  for (const Device& device : slice.devices) found |= OfDevice(device, features);
  return found;
}

std::vector<std::string> GatedFieldsFor(const PodDemand& demand, const PodClaims& pod,
                                        const SimulationContext& context) {
  const AllocatorFeatures& features = context.features();
  MatchCache& matches = context.caches.matches;
  unsigned found = OfClaims(pod, features);
  for (const auto& slice : context.memory.Pools(context.snapshot, matches).gated)
    for (const SubRequest& ask : pod.asks)
      if (ask.device_class) found |= OfMatching(ask, *slice, features, matches);
  if (!features.extended_resources && AsksForResourceOfClass(demand, context.snapshot))
    found |= kExtended;
  std::vector<std::string> words;
  for (const auto& [gate, text] : kWords)
    if (found & gate) words.emplace_back(text);
  return words;
}

}  // namespace fedra::dra
