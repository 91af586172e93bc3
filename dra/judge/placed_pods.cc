#include "dra/judge/placed_pods.h"

#include "dra/judge/node_share.h"

namespace fedra::dra {
namespace {

const Symbol& Pods() {
  static const Symbol pods("pods");
  return pods;
}

// By running pods and those placed here.
Amounts UsedOn(const Node& node, const Amounts* held, const JudgeOptions& options) {
  Amounts used;
  if (held) used = *held;
  if (const Amounts* running = RunningOn(options, node)) AddAmounts(used, *running);
  return used;
}

}  // namespace

size_t ConsumersOf(const ObjectKey& claim, const PlacedPods& placed, const Snapshot& snapshot) {
  const auto* known = snapshot.claims().Find(claim);
  // A PodGroup's claim is reserved once, for the group; it may be yet to be made.
  if (known == nullptr || placed.group_claims.contains(claim)) return 0;
  const auto here = placed.consumers.find(claim);
  return (*known)->reserved_for.size() + (here == placed.consumers.end() ? 0 : here->second);
}

const Amounts* HeldOn(const PlacedPods& placed, const Node& node) {
  const auto at = placed.on_node.find(node.name);
  return at == placed.on_node.end() ? nullptr : &at->second;
}

const Amounts* RunningOn(const JudgeOptions& options, const Node& node) {
  if (options.used == nullptr) return nullptr;
  const auto at = options.used->find(node.name);
  return at == options.used->end() ? nullptr : &at->second;
}

NodeAnswer RoomOn(const Node& node, const PodDemand& demand, const PodVariant& variant,
                  const Amounts* held, const JudgeOptions& options) {
  Amounts used;
  if (options.node_resources || !demand.free_ports.empty()) used = UsedOn(node, held, options);
  if (const NodeAnswer ports = HasPorts(demand.free_ports, &used); !ports.fits()) return ports;
  if (!options.node_resources) return HasPlugins(node, demand.requests, variant.from_devices);
  return HasRoom(node, demand.requests, &used, variant.from_devices);
}

NodeAnswer RoomWithDevices(const Node& node, const PodDemand& demand, const NodeShare& share,
                           const Amounts* held, const JudgeOptions& options) {
  if (!options.node_resources || share.amounts.empty()) return {};
  const Amounts used = UsedOn(node, held, options);
  return HasRoomForDevices(node, demand, share, &used);
}

const ObjectKey* ClaimOfAnotherPod(const Node& node, const std::vector<BoundClaim>& bound,
                                   const PlacedPods& placed, const JudgeOptions& options) {
  const auto is_held = [&](const auto& by_node, const ObjectKey& claim) {
    const auto at = by_node.find(node.name);
    return at != by_node.end() && at->second.contains(claim);
  };
  for (const auto& [claim, binding] : bound) {
    const bool has_pod = !binding->idle || placed.consumers.contains(claim);
    // A PodGroup's claim is reserved for all of its pods.
    const bool of_group = placed.group_claims.contains(claim);
    if (binding->of_node.exclusive && has_pod && !of_group) return &claim;
    if (is_held(placed.node_claims, claim) ||
        (options.node_claims != nullptr && is_held(*options.node_claims, claim)))
      return &claim;
  }
  return nullptr;
}

void Occupy(const PodDemand& demand, const PodVariant& variant, const NodeAllocation& found,
            const NodeView& view, Workspace& workspace, Amounts& room) {
  Commit(found, variant.pod, view, workspace);
  AddAmounts(room, demand.requests);
  AddAmounts(room, demand.unrequested);
  AddAmounts(room, demand.host_ports);
  AddAmounts(room, BeyondRequests(demand, found.of_node));
  static const Amounts one_pod{{Pods(), Quantity(1)}};
  AddAmounts(room, one_pod);
}

}  // namespace fedra::dra
