#include "dra/model/pool_order.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace fedra::dra {
namespace {

using Content = std::vector<uint32_t>;

// No device has it.
constexpr uint32_t kFatal = UINT32_MAX;

// Devices of one slice, which stay together: positions in PoolView::devices.
struct Run {
  size_t begin = 0;
  size_t end = 0;
  Content content;
};

// What is permuted: pools of a node, by index, or slices of a pool.
struct PoolUnit {
  size_t pool = 0;
  Content content;
};

template <class Unit>
bool IsLess(const Unit& a, const Unit& b) {
  return a.content < b.content;
}

std::vector<Run> SlicesOf(const PoolView& view, const std::vector<uint32_t>& kinds) {
  std::vector<Run> runs;
  for (size_t i = 0; i < view.devices.size(); ++i) {
    if (i == 0 || view.devices[i].slice != view.devices[i - 1].slice)
      runs.push_back({.begin = i, .end = i, .content = {}});
    ++runs.back().end;
    if (kinds[i] != 0) runs.back().content.push_back(kinds[i]);
  }
  return runs;
}

Content ContentOfPool(const PoolView& view, const std::vector<uint32_t>& kinds,
                      const AllocatorFeatures& features) {
  if (IsFatal(view, features)) return {kFatal};
  std::vector<Run> runs = SlicesOf(view, kinds);
  std::sort(runs.begin(), runs.end(), IsLess<Run>);
  Content content;
  for (const Run& run : runs) {
    if (run.content.empty()) continue;
    if (!content.empty()) content.push_back(0);
    content.insert(content.end(), run.content.begin(), run.content.end());
  }
  return content;
}

// Every order of those that have content; the others are first and stay there. Empty: more than
// `most`.
template <class Unit>
std::vector<std::vector<Unit>> Permutations(std::vector<Unit> units, size_t most) {
  std::stable_sort(units.begin(), units.end(), IsLess<Unit>);
  const auto begin = std::find_if(units.begin(), units.end(),
                                  [](const Unit& unit) { return !unit.content.empty(); });
  std::vector<std::vector<Unit>> all;
  do {
    if (all.size() == most) return {};
    all.push_back(units);
  } while (std::next_permutation(begin, units.end(), IsLess<Unit>));
  return all;
}

bool HasBindingConditions(const Slice& slice) {
  return std::any_of(slice.devices.begin(), slice.devices.end(), [](const Device& device) {
    return device.extras && !device.extras->binding_conditions.empty();
  });
}

// The view with its slices in this order; those with binding conditions stay last where they do.
std::shared_ptr<const PoolView> WithSlices(const PoolView& view, std::vector<Run> runs,
                                           const AllocatorFeatures& features) {
  if (features.binding_slices_last)
    std::stable_partition(runs.begin(), runs.end(), [&](const Run& run) {
      return !HasBindingConditions(*view.devices[run.begin].slice);
    });
  auto other = std::make_shared<PoolView>(view);
  other->devices.clear();
  other->consumption.clear();
  other->consumption_begin.assign(view.consumption_begin.empty() ? 0 : 1, 0);
  for (const Run& run : runs) {
    for (size_t i = run.begin; i < run.end; ++i) {
      other->devices.push_back(view.devices[i]);
      if (view.consumption_begin.empty()) continue;
      const auto consumption = view.ConsumptionOf(i);
      other->consumption.insert(other->consumption.end(), consumption.begin(), consumption.end());
      other->consumption_begin.push_back(static_cast<uint32_t>(other->consumption.size()));
    }
  }
  return other;
}

using Views = std::vector<std::shared_ptr<const PoolView>>;

// Each pool in one of its forms, by a number below the product of their counts.
Views Choose(const std::vector<Views>& forms, size_t number) {
  Views chosen;
  for (const Views& of_pool : forms) {
    chosen.push_back(of_pool[number % of_pool.size()]);
    number /= of_pool.size();
  }
  return chosen;
}

NodeView InOrder(const NodeView& view, const Views& pools, const std::vector<PoolUnit>& order,
                 const AllocatorFeatures& features) {
  std::vector<size_t> indices;
  for (const PoolUnit& unit : order) indices.push_back(unit.pool);
  if (features.binding_pools_last)
    std::stable_partition(indices.begin(), indices.end(),
                          [&](size_t i) { return !pools[i]->has_binding_conditions; });
  NodeView other{.node = view.node, .pools = {}, .states = {}};
  for (const size_t i : indices) {
    other.pools.push_back(pools[i]);
    other.states.push_back(view.states[i]);
  }
  return other;
}

}  // namespace

bool IsFatal(const PoolView& pool, const AllocatorFeatures& features) {
  return features.invalid_pools_are_fatal && pool.status == PoolStatus::kInvalid;
}

std::vector<std::vector<uint32_t>> ContentOf(const NodeView& view, const DeviceKinds& kinds,
                                             const AllocatorFeatures& features) {
  std::vector<std::vector<uint32_t>> contents;
  for (size_t i = 0; i < view.pools.size(); ++i) {
    Content content = ContentOfPool(*view.pools[i], kinds[i], features);
    if (!content.empty()) contents.push_back(std::move(content));
  }
  std::sort(contents.begin(), contents.end());
  return contents;
}

std::vector<NodeView> OrdersThatDiffer(const NodeView& view, const DeviceKinds& kinds,
                                       const AllocatorFeatures& features, size_t most) {
  std::vector<std::vector<std::vector<Run>>> of_pools;  // the orders of their slices
  std::vector<PoolUnit> units;
  size_t choices = 1;
  for (size_t i = 0; i < view.pools.size(); ++i) {
    units.push_back({.pool = i, .content = ContentOfPool(*view.pools[i], kinds[i], features)});
    of_pools.push_back(Permutations(SlicesOf(*view.pools[i], kinds[i]), most));
    choices *= of_pools.back().size();
    if (choices == 0 || choices > most) return {};
  }
  const auto orders = Permutations(std::move(units), most / choices);
  if (orders.empty()) return {};
  std::vector<Views> forms;
  for (size_t i = 0; i < view.pools.size(); ++i) {
    Views& of_pool = forms.emplace_back();
    if (of_pools[i].size() == 1) of_pool.push_back(view.pools[i]);
    for (const std::vector<Run>& order : of_pools[i])
      if (of_pools[i].size() > 1) of_pool.push_back(WithSlices(*view.pools[i], order, features));
  }
  std::vector<NodeView> views;
  for (const std::vector<PoolUnit>& order : orders)
    for (size_t number = 0; number < choices; ++number)
      views.push_back(InOrder(view, Choose(forms, number), order, features));
  return views;
}

}  // namespace fedra::dra
