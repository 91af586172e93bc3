#include "dra/judge/node_share.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace fedra::dra {
namespace {

// Nothing: this mapping does not count. An error is the scheduler's. `consumed`: null when none is
// recorded, as for a device that is allocated as a whole.
Result<std::optional<Quantity>> AmountOf(const NodeMapping& mapping, const Amounts* consumed) {
  if (mapping.capacity.empty()) return mapping.multiplier;
  if (consumed == nullptr) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "ConsumedCapacity is nil, but Capacity key '" + mapping.capacity.str() + "' is set in " +
            (mapping.exclusive ? "NodeAllocatableResources" : "NodeAllocatableResourceMappings") +
            " for resource " + mapping.resource.str());
  }
  const Quantity* amount = FindAmount(*consumed, mapping.capacity);
  if (amount == nullptr) return std::optional<Quantity>();
  if (!mapping.multiplier) return std::optional(*amount);
  // Beyond 38 digits it is more than any node has.
  return std::optional(
      amount->Mul(*mapping.multiplier).value_or(Quantity(std::numeric_limits<int64_t>::max())));
}

// Of one device, in either form. `counts`: a mapping of 1.36 did.
Result<void> AddTake(const DeviceExtras& extras, const Amounts* consumed, ClaimTake& take,
                     bool& counts) {
  for (const NodeMapping& mapping : extras.of_node) {
    take.exclusive = take.exclusive || mapping.exclusive;
    FEDRA_ASSIGN_OR_RETURN(const std::optional<Quantity> amount, AmountOf(mapping, consumed));
    if (!amount) continue;
    AddAmounts(take.mapped, {{mapping.resource, *amount}});
    counts = counts || !mapping.exclusive;
  }
  for (const NodeOverhead& overhead : extras.overhead) {
    if (overhead.per_pod) AddAmounts(take.per_pod, {{overhead.resource, *overhead.per_pod}});
    if (overhead.per_container)
      AddAmounts(take.per_container, {{overhead.resource, *overhead.per_container}});
  }
  return {};
}

// The same where nothing but the form of 1.37 counts: for claims that are allocated already. What
// the scheduler could not count it has not allocated.
void AddLater(const Device& device, const Amounts* consumed, ClaimTake& take) {
  if (device.extras == nullptr) return;
  DeviceExtras newer;
  newer.overhead = device.extras->overhead;
  std::copy_if(device.extras->of_node.begin(), device.extras->of_node.end(),
               std::back_inserter(newer.of_node),
               [](const NodeMapping& mapping) { return mapping.exclusive; });
  bool counts = false;
  if (!AddTake(newer, consumed, take, counts)) return;
}

const Device* FindDevice(const AllocatedDevice& wanted, const Snapshot& snapshot) {
  const auto* pool = snapshot.pools().Find(wanted.pool);
  if (pool == nullptr) return nullptr;
  for (const auto& slice : (*pool)->slices) {
    for (const Device& device : slice->devices)
      if (device.name == wanted.device) return &device;
  }
  return nullptr;
}

const Amounts* ConsumedBy(const ChosenDevice& chosen) {
  return chosen.shared ? &chosen.consumed : nullptr;
}

// What nodeFitsResources looks at.
bool IsOfNode(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

}  // namespace

Amounts ClaimTake::For(int64_t uses) const {
  Amounts all = mapped;
  AddAmounts(all, per_pod);
  for (const auto& [resource, amount] : per_container)
    if (uses > 0)
      AddAmounts(
          all,
          {{resource,
            amount.Mul(Quantity(uses)).value_or(Quantity(std::numeric_limits<int64_t>::max()))}});
  return all;
}

ClaimTake TakeOf(const Allocation& allocation, const Snapshot& snapshot) {
  ClaimTake take;
  for (const AllocatedDevice& allocated : allocation.devices)
    if (const Device* device = FindDevice(allocated, snapshot))
      AddLater(*device, allocated.consumed ? &*allocated.consumed : nullptr, take);
  return take;
}

ClaimTake TakeOf(const NodeAllocation& found, const NodeView& view, uint32_t claim) {
  ClaimTake take;
  for (const ChosenDevice& chosen : found.devices)
    if (chosen.claim == claim)
      AddLater(*view.pools[chosen.pool]->devices[chosen.device].device, ConsumedBy(chosen), take);
  return take;
}

void AddNodeShare(const PodClaims& pod, const NodeView& view, NodeAllocation& found) {
  if (found.fit != Fit::kFit) return;
  std::map<uint32_t, ClaimTake> takes;
  for (const ChosenDevice& chosen : found.devices) {
    const Device& device = *view.pools[chosen.pool]->devices[chosen.device].device;
    if (device.extras == nullptr) continue;
    bool counts = false;
    const auto added = AddTake(*device.extras, ConsumedBy(chosen), takes[chosen.claim], counts);
    if (!added) {
      found.fit = Fit::kError;
      found.cause = ErrorCause::kAllocator;
      found.error = "claim " + pod.claims[chosen.claim].Name() + ", device " + device.name.str() +
                    ": " + added.error().message;
      return;
    }
    auto& claims = found.of_node.claims;
    if (counts && (claims.empty() || claims.back() != chosen.claim)) claims.push_back(chosen.claim);
  }
  for (const auto& [claim, take] : takes)
    AddAmounts(found.of_node.amounts, take.For(pod.claims[claim].uses));
}

Amounts BeyondRequests(const PodDemand& demand, const NodeShare& share) {
  Amounts beyond;
  for (const auto& entry : share.amounts)
    if (!FindAmount(demand.pod_level_left, entry.first)) AddAmounts(beyond, {entry});
  return beyond;
}

std::optional<verdict::NodeRefusal> WhyShareIsRefused(const PodDemand& demand,
                                                      const ResolvedPod& resolved,
                                                      const PodVariant& variant,
                                                      const NodeShare& share) {
  for (const uint32_t claim : share.claims) {
    const bool is_used = claim < resolved.entries.size() &&
                         std::find(demand.container_claims.begin(), demand.container_claims.end(),
                                   demand.claims[resolved.entries[claim]].pod_claim) !=
                             demand.container_claims.end();
    if (!is_used)
      return verdict::NodeRefusal{.why = verdict::NodeRefusal::Why::kUnusedClaim,
                                  .detail = variant.pod.claims[claim].Describe()};
  }
  for (const auto& [resource, amount] : share.amounts) {
    const Quantity* left = FindAmount(demand.pod_level_left, resource);
    if (left != nullptr && amount > *left)
      return verdict::NodeRefusal{.why = verdict::NodeRefusal::Why::kPodRequest,
                                  .detail = resource.str()};
  }
  return std::nullopt;
}

NodeAnswer HasRoomForDevices(const Node& node, const PodDemand& demand, const NodeShare& share,
                             const Amounts* used) {
  Amounts together;
  for (const auto& entry : BeyondRequests(demand, share)) {
    if (!IsOfNode(entry.first.view())) continue;
    AddAmounts(together, {entry});
    if (const Quantity* requested = FindAmount(demand.requests, entry.first))
      AddAmounts(together, {{entry.first, *requested}});
  }
  return together.empty() ? NodeAnswer() : HasRoom(node, together, used, {});
}

}  // namespace fedra::dra
