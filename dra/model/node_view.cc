#include "dra/model/node_view.h"

#include <algorithm>

namespace fedra::dra {
namespace {

struct Entry {
  std::shared_ptr<const PoolState> state;
  std::shared_ptr<const PoolView> view;
};

bool Before(const Entry& a, const Entry& b) {
  if (a.view->has_binding_conditions != b.view->has_binding_conditions)
    return !a.view->has_binding_conditions;
  return a.state->key < b.state->key;
}

}  // namespace

NodeView ViewOf(const Snapshot& snapshot, const Node& node) {
  std::vector<Entry> entries;
  const NodePools* local = snapshot.PoolsOf(node.name);
  const auto is_own = [&](const PoolKey& key) {
    return local && std::any_of(local->views.begin(), local->views.end(),
                                [&](const auto& entry) { return entry.first->key == key; });
  };
  if (local)
    for (const auto& [state, view] : local->views)
      if (view) entries.push_back({state, view});
  snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& state) {
    if (auto view = MakePoolView(*state, node)) entries.push_back({state, std::move(view)});
  });
  snapshot.troubled_pools().ForEach([&](const PoolKey& key, const auto& state) {
    if (!is_own(key)) entries.push_back({state, state->elsewhere});
  });
  std::sort(entries.begin(), entries.end(), Before);
  NodeView result;
  result.node = &node;
  for (Entry& entry : entries) {
    result.pools.push_back(std::move(entry.view));
    result.states.push_back(std::move(entry.state));
  }
  return result;
}

std::vector<const Amounts*> TakenOf(const ViewDevice& device, const SimulatedUse* held) {
  std::vector<const Amounts*> taken;
  if (device.use && device.use->consumed) taken.push_back(&*device.use->consumed);
  if (held) taken.push_back(&held->consumed);
  return taken;
}

}  // namespace fedra::dra
