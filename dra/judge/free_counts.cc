#include "dra/judge/free_counts.h"

#include <algorithm>
#include <map>
#include <set>

#include "dra/judge/placed_pods.h"

namespace fedra::dra {
namespace {

// How many of these no pod of the simulation has taken.
int CountLeft(const FreeRoaming& free, const Workspace& taken) {
  const Workspace::Pool* held = taken.Find(free.pool->key);
  if (held == nullptr) return static_cast<int>(free.slots.size());
  return static_cast<int>(std::count_if(free.slots.begin(), free.slots.end(), [&](uint32_t slot) {
    return held->Find(slot) == nullptr;
  }));
}

// Where nodes differ in what they can be used for: node by node.
int CountOnEachNode(const SimulationContext& context, std::span<const FittedPods> sets,
                    const Workspace& taken) {
  const AllocatorFeatures& features = context.features();
  MatchCache& matches = context.caches.matches;
  std::map<const Node*, std::vector<MatchKey>> by_node;
  for (const FittedPods& set : sets)
    for (const Node* node : set.resolved.nodes)
      AddMatchKeys(set.resolved.variants.For(*node).pod, by_node[node]);
  int headroom = 0;
  for (const auto& [node, keys] : by_node)
    if (const NodePools* pools = context.snapshot.PoolsOf(node->name))
      headroom += CountFreeDevices(*pools, keys, features, &taken, matches);
  context.snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& pool) {
    std::set<uint32_t> slots;
    for (const FittedPods& set : sets) {
      std::vector<MatchKey> keys;
      for (const PodClaims* pod : set.resolved.EveryVariant()) AddMatchKeys(*pod, keys);
      const FreeRoaming free = FindFreeDevices(pool, set.resolved.nodes, keys, features, matches);
      slots.insert(free.slots.begin(), free.slots.end());
    }
    headroom += CountLeft({.pool = pool, .slots = {slots.begin(), slots.end()}}, taken);
  });
  return headroom;
}

// Whether the same nodes can be used for all, which the memory knows.
bool AreOnTheSameNodes(std::span<const FittedPods> sets) {
  return std::all_of(sets.begin(), sets.end(), [&](const FittedPods& set) {
    return set.resolved.bound.empty() && !set.resolved.variants.wants_device_resources() &&
           set.demand->node == sets.front().demand->node;
  });
}

}  // namespace

std::vector<bool> NodesWithTooFew(const SimulationContext& context, const ResolvedPod& resolved,
                                  const PodDemand& demand, NearestNode& nearest) {
  std::vector<bool> too_few;
  // Only devices of nodes are counted, and the counts belong to the nodes that admit the pod.
  if (!resolved.bound.empty() || resolved.variants.wants_device_resources() ||
      !context.snapshot.roaming_pools().empty())
    return too_few;
  const PodClaims& pod = resolved.variants.Plain().pod;
  for (const PreparedClaim& claim : pod.claims) {
    for (const PreparedRequest& request : claim.requests) {
      const SubRequest& ask = pod.asks[request.first_ask];
      if (request.asks != 1 || ask.all || ask.admin || ask.request->count <= 0) continue;
      const auto& free =
          context.memory
              .FreeOn(demand.node, {MatchKeyOf(ask)}, context.snapshot, context.caches.matches)
              .on_node;
      too_few.resize(free.size());
      for (size_t i = 0; i < free.size(); ++i) {
        if (too_few[i] || free[i] >= ask.request->count) continue;
        too_few[i] = true;
        nearest.Note(*resolved.nodes[i], static_cast<uint32_t>(free[i]));
      }
    }
  }
  return too_few;
}

int CountHeadroom(const SimulationContext& context, std::span<const FittedPods> sets,
                  const PlacedPods& placed) {
  if (sets.empty()) return 0;
  const Workspace& taken = placed.workspace;
  if (!AreOnTheSameNodes(sets)) return CountOnEachNode(context, sets, taken);
  MatchCache& matches = context.caches.matches;
  std::vector<MatchKey> keys;
  for (const FittedPods& set : sets) AddMatchKeys(set.resolved.variants.Plain().pod, keys);
  const FreeDevices& free =
      context.memory.FreeOn(sets.front().demand->node, keys, context.snapshot, matches);
  int headroom = free.total;
  for (const FreeRoaming& roaming : free.roaming) headroom += CountLeft(roaming, taken);
  for (const auto& [name, used] : placed.on_node) {
    const auto at = PositionOf(name, sets.front().resolved.nodes);
    if (!at || !free.pools[*at]) continue;
    headroom += CountFreeDevices(*free.pools[*at], keys, context.features(), &taken, matches) -
                free.on_node[*at];
  }
  return headroom;
}

}  // namespace fedra::dra
