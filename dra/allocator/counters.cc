#include "dra/allocator/counters.h"

#include <algorithm>

namespace fedra::dra {
namespace {

Quantity LeftOf(const ViewCounter& counter, const Workspace::Pool* held) {
  if (held == nullptr) return counter.available;
  const auto taken = held->counters.find({counter.set, counter.name});
  if (taken == held->counters.end()) return counter.available;
  return counter.available.Sub(taken->second).value_or(counter.available);
}

const GroupUse& UseOf(const ViewGroups& groups, const Workspace::Pool* held) {
  if (held == nullptr) return groups.allocated;
  const auto taken = held->groups.find(groups.set);
  return taken == held->groups.end() ? groups.allocated : taken->second;
}

bool IsShared(const ViewDevice& device, const AllocatorFeatures& features) {
  const bool shared = device.use && (device.use->consumed ||
                                     (features.empty_shares_hold_counters && device.use->shared));
  return shared && device.device->allow_multiple.value_or(false);
}

}  // namespace

const Symbol* FindGroupConflict(const PoolView& view, size_t index, const Workspace::Pool* held,
                                const AllocatorFeatures& features) {
  const ViewDevice& device = view.devices[index];
  if (view.groups.empty() || !device.device->consumes || IsShared(device, features)) return nullptr;
  for (const CounterSet& set : *device.device->consumes) {
    for (const ViewGroups& groups : view.groups)
      if (groups.set == set.name && !UseOf(groups, held).Admits(set.groups)) return &set.name;
  }
  return nullptr;
}

bool HasCounters(const PoolView& view, size_t index, const Workspace::Pool* held,
                 const AllocatorFeatures& features) {
  if (IsShared(view.devices[index], features)) return true;
  if (FindGroupConflict(view, index, held, features) != nullptr) return false;
  const auto consumption = view.ConsumptionOf(index);
  return std::all_of(consumption.begin(), consumption.end(), [&](const Consumption& use) {
    return LeftOf(view.counters[use.counter], held) >= *use.amount;
  });
}

CounterLedger::CounterLedger(const NodeView& node, const Workspace* workspace,
                             const LedgerRules& rules)
    : node_(node), workspace_(workspace), rules_(rules), pools_(node.pools.size()) {
  for (uint32_t pool = 0; pool < node.pools.size(); ++pool) {
    pools_[pool].table = pool;
    if (!rules.by_pool_name || node.pools[pool]->counters.empty()) continue;
    for (uint32_t earlier = 0; earlier < pool; ++earlier) {
      const PoolView& other = *node.pools[earlier];
      if (other.counters.empty() || other.key.pool != node.pools[pool]->key.pool) continue;
      pools_[pool].table = pools_[earlier].table;
      pools_[pool].collides = pools_[earlier].collides = true;
      break;
    }
  }
}

CounterLedger::Table& CounterLedger::TableOf(uint32_t pool) {
  Table& table = pools_[pools_[pool].table].counters;
  if (table.view) return table;
  const PoolView& view = *node_.pools[pool];
  table.view = &view;
  table.left.reserve(view.counters.size());
  const Workspace::Pool* placed = workspace_ ? workspace_->Find(view.key) : nullptr;
  for (const ViewCounter& counter : view.counters) {
    const Quantity left = LeftOf(counter, placed);
    table.overdrawn = table.overdrawn || left.Sign() < 0;
    table.left.push_back(left);
  }
  return table;
}

int64_t CounterLedger::Translate(const Table& table, const PoolView& view, uint32_t counter) {
  if (table.view == &view) return counter;
  const ViewCounter& wanted = view.counters[counter];
  for (size_t i = 0; i < table.view->counters.size(); ++i) {
    const ViewCounter& own = table.view->counters[i];
    if (own.set == wanted.set && own.name == wanted.name) return static_cast<int64_t>(i);
  }
  return -1;
}

void CounterLedger::Apply(Table& table, const PoolView& view, uint32_t device, int sign) {
  for (const Consumption& consumption : view.ConsumptionOf(device)) {
    const int64_t at = Translate(table, view, consumption.counter);
    if (at < 0) continue;
    Quantity& left = table.left[static_cast<size_t>(at)];
    const auto changed = sign > 0 ? left.Sub(*consumption.amount) : left.Add(*consumption.amount);
    left = changed.value_or(left);
  }
}

bool CounterLedger::TakeCounters(uint32_t pool, uint32_t device) {
  Table& table = TableOf(pool);
  if (table.overdrawn) return false;
  const PoolView& view = *node_.pools[pool];
  Apply(table, view, device, 1);
  for (const Consumption& consumption : view.ConsumptionOf(device)) {
    const int64_t at = Translate(table, view, consumption.counter);
    if (at < 0 || table.left[static_cast<size_t>(at)].Sign() >= 0) continue;
    Apply(table, view, device, -1);
    return false;
  }
  return true;
}

void CounterLedger::GiveBackGroups(uint32_t pool) {
  PoolGroups& groups = pools_[pool].groups;
  if (groups.changes.empty()) return;  // the pool has none
  size_t changes = groups.changes.back();
  groups.changes.pop_back();
  for (; changes > 0; --changes) {
    auto& [at, before] = groups.undo.back();
    groups.uses[at] = std::move(before);
    groups.undo.pop_back();
  }
}

bool CounterLedger::TakeGroups(uint32_t pool, uint32_t device) {
  const PoolView& view = *node_.pools[pool];
  const auto& consumes = view.devices[device].device->consumes;
  if (view.groups.empty() || !rules_.groups) return true;
  PoolGroups& groups = pools_[pool].groups;
  if (groups.uses.empty()) {
    const Workspace::Pool* placed = workspace_ ? workspace_->Find(view.key) : nullptr;
    for (const ViewGroups& known : view.groups) groups.uses.push_back(UseOf(known, placed));
  }
  groups.changes.push_back(0);
  for (const CounterSet& set : *consumes) {
    for (uint32_t at = 0; at < view.groups.size(); ++at) {
      if (view.groups[at].set != set.name) continue;
      if (!groups.uses[at].Admits(set.groups)) {
        GiveBackGroups(pool);
        return false;
      }
      groups.undo.emplace_back(at, groups.uses[at]);
      groups.uses[at].Add(set.groups);
      ++groups.changes.back();
    }
  }
  return true;
}

bool CounterLedger::Take(uint32_t pool, uint32_t device) {
  if (!TakeGroups(pool, device)) return false;
  if (!rules_.counters || TakeCounters(pool, device)) return true;
  GiveBackGroups(pool);
  return false;
}

void CounterLedger::GiveBack(uint32_t pool, uint32_t device) {
  if (rules_.counters) Apply(TableOf(pool), *node_.pools[pool], device, -1);
  GiveBackGroups(pool);
}

Quantity CounterLedger::Left(uint32_t pool, uint32_t counter) {
  Table& table = TableOf(pool);
  const int64_t at = Translate(table, *node_.pools[pool], counter);
  return at < 0 ? node_.pools[pool]->counters[counter].available
                : table.left[static_cast<size_t>(at)];
}

}  // namespace fedra::dra
