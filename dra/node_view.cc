#include "dra/node_view.h"

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
  if (local)
    for (const auto& [state, view] : local->views) entries.push_back({state, view});
  const size_t locals = entries.size();
  snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& state) {
    if (auto view = MakePoolView(*state, node)) entries.push_back({state, std::move(view)});
  });
  snapshot.troubled_pools().ForEach([&](const PoolKey& key, const auto& state) {
    const bool own = std::any_of(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(locals),
                                 [&](const Entry& entry) { return entry.state->key == key; });
    if (!own) entries.push_back({state, state->elsewhere});
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

}  // namespace fedra::dra
