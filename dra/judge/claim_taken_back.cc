#include "dra/judge/claim_taken_back.h"

#include <algorithm>
#include <vector>

namespace fedra::dra {
namespace {

// What the pod's claims without an allocation get on a node.
struct Found {
  const PodVariant* variant = nullptr;
  NodeView view = {};
  NodeAllocation allocation = {};
};

// Absent: the node has no room for the pod, or not the devices.
std::optional<Found> FindOn(const Node& node, const StuckPod& pod, const PlacedPods& placed) {
  Found found{.variant = &pod.resolved.variants.For(node)};
  if (!RoomOn(node, pod.demand, *found.variant, HeldOn(placed, node), pod.context.options).fits())
    return std::nullopt;
  if (found.variant->pod.claims.empty()) return found;
  found.view = ViewOf(pod.context.snapshot, node);
  found.allocation = pod.context.Find(found.variant->pod, found.view, placed.workspace);
  if (found.allocation.fit != Fit::kFit) return std::nullopt;
  return found;
}

std::optional<Found> FindAnywhere(const StuckPod& pod, const PlacedPods& placed) {
  for (const Node* node : pod.resolved.nodes)
    if (std::optional<Found> found = FindOn(*node, pod, placed)) return found;
  return std::nullopt;
}

// The index of the claim in PodDemand::claims.
size_t EntryOf(const ObjectKey& claim, const PodDemand& demand) {
  const auto names = [&](const ClaimReference& reference) {
    return reference.claim_name == claim.name || reference.group_claim == claim.name;
  };
  const auto at = std::find_if(demand.claims.begin(), demand.claims.end(), names);
  return static_cast<size_t>(at - demand.claims.begin());
}

// Takes the devices of the claims before entry `end`. False: there are none. The claim for extended
// resources is no entry; the scheduler binds it last and deletes it when binding fails.
bool Leave(const Found& found, const StuckPod& pod, size_t end, Workspace& workspace) {
  const std::vector<size_t>& entries = pod.resolved.entries;
  NodeAllocation left = found.allocation;
  std::erase_if(left.devices, [&](const ChosenDevice& device) {
    return device.claim >= entries.size() || entries[device.claim] >= end;
  });
  if (left.devices.empty()) return false;
  Commit(left, found.variant->pod, found.view, workspace);
  return true;
}

}  // namespace

std::optional<ObjectKey> ClaimTakenBack(const StuckPod& pod, const PlacedPods& placed) {
  for (const auto& [key, binding] : pod.resolved.bound) {
    if (!binding->idle || placed.consumers.contains(key)) continue;
    for (const Node* node : pod.resolved.elsewhere)
      if (CannotBeUsed(*binding, *node) && FindOn(*node, pod, placed)) return key;
  }
  return std::nullopt;
}

std::optional<ObjectKey> ClaimTakenBackAfterFailures(const StuckPod& pod,
                                                     const ObjectKey& unbindable,
                                                     PlacedPods& placed) {
  const size_t end = EntryOf(unbindable, pod.demand);
  const JudgeOptions& options = pod.context.options;
  const int pods = std::min(pod.demand.count, options.max_pods);
  for (int failed = 0; failed < pods; ++failed) {
    if (pod.context.cost.steps > options.limits.max_steps / 2) return std::nullopt;
    const std::optional<Found> found = FindAnywhere(pod, placed);
    if (!found) return ClaimTakenBack(pod, placed);
    if (!found->variant->shared.empty() || !Leave(*found, pod, end, placed.workspace))
      return std::nullopt;  // the others meet what this one met
  }
  return std::nullopt;
}

}  // namespace fedra::dra
