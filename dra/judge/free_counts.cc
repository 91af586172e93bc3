#include "dra/judge/free_counts.h"

#include <algorithm>

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
int CountOnEachNode(const SimulationContext& context, const ResolvedPod& resolved,
                    const Workspace& taken) {
  const AllocatorFeatures& features = context.features();
  MatchCache& matches = context.caches.matches;
  int headroom = 0;
  std::vector<MatchKey> keys;
  for (const Node* node : resolved.nodes) {
    keys = MatchKeysOf(resolved.variants.For(*node).pod);
    if (const NodePools* pools = context.snapshot.PoolsOf(node->name))
      headroom += CountFreeDevices(*pools, keys, features, &taken, matches);
  }
  context.snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& pool) {
    headroom += CountLeft(FindFreeDevices(pool, resolved.nodes, keys, features, matches), taken);
  });
  return headroom;
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

int CountHeadroom(const SimulationContext& context, const ResolvedPod& resolved,
                  const PodDemand& demand, const PlacedPods& placed) {
  const Workspace& taken = placed.workspace;
  if (!resolved.bound.empty() || resolved.variants.wants_device_resources())
    return CountOnEachNode(context, resolved, taken);
  MatchCache& matches = context.caches.matches;
  const std::vector<MatchKey> keys = MatchKeysOf(resolved.variants.Plain().pod);
  const FreeDevices& free = context.memory.FreeOn(demand.node, keys, context.snapshot, matches);
  int headroom = free.total;
  for (const FreeRoaming& roaming : free.roaming) headroom += CountLeft(roaming, taken);
  for (const auto& [name, used] : placed.on_node) {
    const auto at = resolved.PositionOf(name);
    if (!at || !free.pools[*at]) continue;
    headroom += CountFreeDevices(*free.pools[*at], keys, context.features(), &taken, matches) -
                free.on_node[*at];
  }
  return headroom;
}

}  // namespace fedra::dra
