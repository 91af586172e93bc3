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
  kPartitions = 1U << 0,
  kBinding = 1U << 1,
  kShares = 1U << 2,
  kRequestedCapacity = 1U << 3,
  kDistinct = 1U << 4,
  kExtended = 1U << 5,
  kLists = 1U << 6,
  kFractions = 1U << 7,
};

constexpr std::array<std::pair<Gate, std::string_view>, 8> kFields = {{
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
  // The API server of 1.34 drops distinctAttribute from a copy of the constraint, so that claims
  // keep it (resourceclaim/strategy.go:454 of v1.34.4), and its scheduler heeds it.
  const bool drops_distinct = !features.distinct_attribute;
  for (const SubRequest& ask : pod.asks)
    if (ask.request->has_capacity) found |= kRequestedCapacity;
  for (const PreparedClaim& claim : pod.claims)
    for (const Constraint& constraint : claim.spec->constraints)
      if (drops_distinct && !constraint.distinct_attribute.empty()) found |= kDistinct;
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

bool HasDevicesOn(const PoolState& pool, const Node& node) {
  const std::shared_ptr<const PoolView> view = MakePoolView(pool, node);
  return view && !view->devices.empty();
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

std::vector<std::string> GatedFieldsFor(const PodDemand& demand,
                                        const std::set<const PodClaims*>& pods,
                                        const SimulationContext& context) {
  const AllocatorFeatures& features = context.features();
  MatchCache& matches = context.caches.matches;
  unsigned found = 0;
  const auto& gated = context.memory.Pools(context.snapshot, matches).gated;
  for (const PodClaims* pod : pods) {
    found |= OfClaims(*pod, features);
    for (const auto& slice : gated)
      for (const SubRequest& ask : pod->asks)
        if (ask.device_class) found |= OfMatching(ask, *slice, features, matches);
  }
  if (!features.extended_resources && AsksForResourceOfClass(demand, context.snapshot))
    found |= kExtended;
  std::vector<std::string> words;
  for (const auto& [gate, text] : kFields)
    if (found & gate) words.emplace_back(text);
  return words;
}

bool ConfusesCounters(const ResolvedPod& pod, const std::set<const PodClaims*>& pods,
                      const SimulationContext& context) {
  MatchCache& matches = context.caches.matches;
  const auto asks_for = [&](const PodClaims& claims, const Slice& slice) {
    return std::any_of(claims.asks.begin(), claims.asks.end(), [&](const SubRequest& ask) {
      const auto codes = matches.Match(ask.match, slice);
      for (size_t i = 0; i < slice.devices.size(); ++i)
        if (codes[i] == kMatches && slice.devices[i].consumes) return true;
      return false;
    });
  };
  const auto takes = [&](const Slice& slice) {
    return std::any_of(pods.begin(), pods.end(),
                       [&](const PodClaims* claims) { return asks_for(*claims, slice); });
  };
  const auto& groups = context.memory.Pools(context.snapshot, matches).of_one_name;
  return std::any_of(groups.begin(), groups.end(), [&](const auto& pools) {
    std::vector<const PoolState*> taken;
    for (const auto& pool : pools)
      if (std::any_of(pool->slices.begin(), pool->slices.end(),
                      [&](const auto& slice) { return takes(*slice); }))
        taken.push_back(pool.get());
    const auto has_some = [&](const Node* node) {
      return std::any_of(taken.begin(), taken.end(),
                         [&](const PoolState* pool) { return HasDevicesOn(*pool, *node); });
    };
    if (taken.size() < 2) return false;
    return std::count_if(pod.nodes.begin(), pod.nodes.end(), has_some) +
               std::count_if(pod.elsewhere.begin(), pod.elsewhere.end(), has_some) >
           1;
  });
}

}  // namespace fedra::dra
