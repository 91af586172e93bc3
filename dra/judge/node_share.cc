#include "dra/judge/node_share.h"

#include <algorithm>
#include <limits>

namespace fedra::dra {
namespace {

// Nothing: this mapping does not count. An error is the scheduler's.
Result<std::optional<Quantity>> AmountOf(const NodeMapping& mapping, const ChosenDevice& chosen) {
  if (mapping.capacity.empty()) return mapping.multiplier;
  if (!chosen.shared) {
    return Fail(ErrorCode::kInvalidArgument,
                "ConsumedCapacity is nil, but Capacity key '" + mapping.capacity.str() +
                    "' is set in NodeAllocatableResourceMappings for resource " +
                    mapping.resource.str());
  }
  const Quantity* consumed = FindAmount(chosen.consumed, mapping.capacity);
  if (consumed == nullptr) return std::optional<Quantity>();
  if (!mapping.multiplier) return std::optional(*consumed);
  // Beyond 38 digits it is more than any node has.
  return std::optional(
      consumed->Mul(*mapping.multiplier).value_or(Quantity(std::numeric_limits<int64_t>::max())));
}

// What nodeFitsResources looks at.
bool IsOfNode(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

}  // namespace

void AddNodeShare(const PodClaims& pod, const NodeView& view, NodeAllocation& found) {
  if (found.fit != Fit::kFit) return;
  for (const ChosenDevice& chosen : found.devices) {
    const Device& device = *view.pools[chosen.pool]->devices[chosen.device].device;
    if (device.extras == nullptr) continue;
    for (const NodeMapping& mapping : device.extras->of_node) {
      const auto amount = AmountOf(mapping, chosen);
      if (!amount) {
        found.fit = Fit::kError;
        found.cause = ErrorCause::kAllocator;
        found.error = "claim " + pod.claims[chosen.claim].Name() + ", device " + device.name.str() +
                      ": " + amount.error().message;
        return;
      }
      if (!*amount) continue;
      AddAmounts(found.of_node.amounts, {{mapping.resource, **amount}});
      auto& claims = found.of_node.claims;
      if (claims.empty() || claims.back() != chosen.claim) claims.push_back(chosen.claim);
    }
  }
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
