#include "dra/judge/placed_pods.h"

namespace fedra::dra {
namespace {

const Text& Pods() {
  static const Text pods("pods");
  return pods;
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

NodeAnswer RoomOn(const Node& node, const PodDemand& demand, const PodVariant& variant,
                  const Amounts* held, const JudgeOptions& options) {
  if (!options.node_resources) return HasPlugins(node, demand.requests, variant.from_devices);
  Amounts used;
  if (held) used = *held;
  if (options.used)
    if (const auto at = options.used->find(node.name); at != options.used->end())
      AddAmounts(used, at->second);
  return HasRoom(node, demand.requests, &used, variant.from_devices);
}

void Occupy(const PodDemand& demand, const PodVariant& variant, const NodeAllocation& found,
            const NodeView& view, Workspace& workspace, Amounts& room) {
  Commit(found, variant.pod, view, workspace);
  AddAmounts(room, demand.requests);
  AddAmounts(room, {{Pods(), Quantity(1)}});
}

}  // namespace fedra::dra
