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

uint32_t Factorial(size_t n) {
  uint32_t product = 1;
  for (uint32_t i = 2; i <= std::min<size_t>(n, 4); ++i) product *= i;
  return product;
}

// The permutation of this number, taken modulo their count; 0 changes nothing. From five elements
// on the last four only, after as many steps round: so each comes first at some time.
template <class T>
void Permute(std::vector<T>& list, uint32_t number) {
  if (list.size() > 4) {
    const size_t steps = number % list.size();
    std::rotate(list.begin(), list.begin() + static_cast<ptrdiff_t>(steps), list.end());
  }
  const size_t begin = list.size() > 4 ? list.size() - 4 : 0;
  for (size_t i = begin; i + 1 < list.size(); ++i) {
    const size_t left = list.size() - i;
    const uint32_t rest = Factorial(left - 1);
    const size_t chosen = i + number / rest % left;
    std::rotate(list.begin() + static_cast<ptrdiff_t>(i),
                list.begin() + static_cast<ptrdiff_t>(chosen),
                list.begin() + static_cast<ptrdiff_t>(chosen) + 1);
  }
}

// Devices of one slice, which stay together: positions in PoolView::devices.
using Run = std::pair<size_t, size_t>;

std::vector<Run> SlicesOf(const PoolView& view) {
  std::vector<Run> runs;
  for (size_t i = 0; i < view.devices.size(); ++i) {
    if (i == 0 || view.devices[i].slice != view.devices[i - 1].slice) runs.emplace_back(i, i);
    ++runs.back().second;
  }
  return runs;
}

// The view with its slices in another order; those with binding conditions stay last where they do.
std::shared_ptr<const PoolView> WithSlices(const std::shared_ptr<const PoolView>& view,
                                           const AllocatorFeatures& features, uint32_t number) {
  std::vector<Run> runs = SlicesOf(*view);
  if (runs.size() < 2) return view;
  Permute(runs, number);
  const auto is_plain = [&](const Run& run) {
    const auto& devices = view->devices[run.first].slice->devices;
    return std::none_of(devices.begin(), devices.end(), [](const Device& device) {
      return device.extras && !device.extras->binding_conditions.empty();
    });
  };
  if (features.binding_slices_last) std::stable_partition(runs.begin(), runs.end(), is_plain);
  auto other = std::make_shared<PoolView>(*view);
  other->devices.clear();
  other->consumption.clear();
  other->consumption_begin.assign(view->consumption_begin.empty() ? 0 : 1, 0);
  for (const auto& [begin, end] : runs) {
    for (size_t i = begin; i < end; ++i) {
      other->devices.push_back(view->devices[i]);
      if (view->consumption_begin.empty()) continue;
      const auto consumption = view->ConsumptionOf(i);
      other->consumption.insert(other->consumption.end(), consumption.begin(), consumption.end());
      other->consumption_begin.push_back(static_cast<uint32_t>(other->consumption.size()));
    }
  }
  return other;
}

void TakeOrder(uint32_t number, const AllocatorFeatures& features, std::vector<Entry>& entries) {
  if (number == 0) return;
  Permute(entries, number);
  const uint32_t of_slices = entries.size() > 3 ? number : number / Factorial(entries.size());
  for (Entry& entry : entries) entry.view = WithSlices(entry.view, features, of_slices);
  if (features.binding_pools_last)
    std::stable_partition(entries.begin(), entries.end(),
                          [](const Entry& entry) { return !entry.view->has_binding_conditions; });
}

}  // namespace

uint32_t OrdersOf(const Snapshot& snapshot) {
  if (!snapshot.features().order_is_chance) return 1;
  size_t pools = 0, slices = 1;
  snapshot.node_pools().ForEach([&](const Symbol&, const auto& of_node) {
    size_t seen = 0;
    for (const auto& [state, view] : of_node->views) {
      if (!view) continue;
      ++seen;
      slices = std::max(slices, SlicesOf(*view).size());
    }
    pools = std::max(pools, seen);
  });
  snapshot.roaming_pools().ForEach([&](const PoolKey&, const auto& state) {
    ++pools;
    slices = std::max(slices, state->slices.size());
  });
  snapshot.troubled_pools().ForEach([&](const PoolKey&, const auto&) { ++pools; });
  return std::min(Factorial(pools) * Factorial(slices), kMostOrders);
}

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
  TakeOrder(snapshot.order(), snapshot.features(), entries);
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
