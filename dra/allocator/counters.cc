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

}  // namespace

bool HasCounters(const PoolView& view, size_t index, const Workspace::Pool* held,
                 const AllocatorFeatures& features) {
  const ViewDevice& device = view.devices[index];
  const bool shared = device.use && (device.use->consumed ||
                                     (features.empty_shares_hold_counters && device.use->shared));
  if (shared && device.device->allow_multiple.value_or(false)) return true;
  const auto consumption = view.ConsumptionOf(index);
  return std::all_of(consumption.begin(), consumption.end(), [&](const Consumption& use) {
    return LeftOf(view.counters[use.counter], held) >= *use.amount;
  });
}

CounterLedger::CounterLedger(const NodeView& node, const Workspace* workspace, bool by_pool_name)
    : node_(node), workspace_(workspace), collides_(node.pools.size()) {
  for (uint32_t pool = 0; pool < node.pools.size(); ++pool) {
    table_of_pool_.push_back(pool);
    if (!by_pool_name || node.pools[pool]->counters.empty()) continue;
    for (uint32_t earlier = 0; earlier < pool; ++earlier) {
      const PoolView& other = *node.pools[earlier];
      if (other.counters.empty() || other.key.pool != node.pools[pool]->key.pool) continue;
      table_of_pool_[pool] = table_of_pool_[earlier];
      collides_[pool] = collides_[earlier] = true;
      break;
    }
  }
  tables_.resize(node.pools.size());
}

CounterLedger::Table& CounterLedger::TableOf(uint32_t pool) {
  Table& table = tables_[table_of_pool_[pool]];
  if (table.view) return table;
  const PoolView& view = *node_.pools[pool];
  table.view = &view;
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

bool CounterLedger::Take(uint32_t pool, uint32_t device) {
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

void CounterLedger::GiveBack(uint32_t pool, uint32_t device) {
  Apply(TableOf(pool), *node_.pools[pool], device, -1);
}

Quantity CounterLedger::Left(uint32_t pool, uint32_t counter) {
  Table& table = TableOf(pool);
  const int64_t at = Translate(table, *node_.pools[pool], counter);
  return at < 0 ? node_.pools[pool]->counters[counter].available
                : table.left[static_cast<size_t>(at)];
}

}  // namespace fedra::dra
