#include "dra/judge/shortage.h"

#include <algorithm>
#include <map>
#include <set>

#include "dra/allocator/counters.h"

namespace fedra::dra {

using verdict::JointShortage;

namespace {

// A message is read by people.
constexpr size_t kMaxRequestsShown = 8;

using Lacking = std::vector<JointShortage::Amount>;

// Devices of which the same is to be said are counted together.
void AddAmount(JointShortage::Amount amount, Lacking& amounts) {
  const auto same = std::find_if(amounts.begin(), amounts.end(), [&](JointShortage::Amount& known) {
    return known.counter == amount.counter && known.need == amount.need;
  });
  if (same == amounts.end())
    amounts.push_back(std::move(amount));
  else
    same->devices += amount.devices;
}

bool Suits(const SimulationContext& context, const SubRequest& ask, const ViewDevice& device) {
  return context.caches.matches.Match(ask.match, *device.slice)[device.index] == kMatches;
}

// The most that is left of each capacity on a device that suits the request, and on which device.
std::map<Symbol, std::pair<CapacityShortage, Symbol>> MostLeft(const SimulationContext& context,
                                                               const Workspace& taken,
                                                               const NodeView& view,
                                                               const SubRequest& ask) {
  std::map<Symbol, std::pair<CapacityShortage, Symbol>> best;
  for (const auto& pool : view.pools) {
    const Workspace::Pool* placed = taken.Find(pool->key);
    for (const ViewDevice& device : pool->devices) {
      if (!Suits(context, ask, device) || !device.device->capacity) continue;
      if (device.use && device.use->dedicated) continue;
      const std::vector<const Amounts*> held =
          TakenOf(device, placed ? placed->Find(device.slot) : nullptr);
      for (const Capacity& capacity : *device.device->capacity) {
        const Quantity* wanted = FindAmount(ask.request->capacity, capacity.name);
        const CapacityShortage here{.name = capacity.name,
                                    .need = ConsumedCapacity(capacity, wanted, context.features()),
                                    .left = CapacityLeft(capacity, held)};
        const auto [at, is_new] = best.try_emplace(capacity.name, here, device.device->name);
        if (!is_new && *here.left > *at->second.first.left)
          at->second = {here, device.device->name};
      }
    }
  }
  return best;
}

}  // namespace

std::vector<JointShortage::Amount> CounterShortages(const SimulationContext& context,
                                                    const Workspace& taken, const Node& node,
                                                    const PodClaims& pod) {
  const NodeView view = ViewOf(context.snapshot, node);
  CounterLedger ledger(view, &taken, {.by_pool_name = context.features().counters_by_pool_name});
  Lacking shortages, shared;
  for (uint32_t p = 0; p < view.pools.size(); ++p) {
    const PoolView& pool = *view.pools[p];
    for (uint32_t d = 0; d < pool.devices.size(); ++d) {
      const ViewDevice& device = pool.devices[d];
      const bool suits = std::any_of(pod.asks.begin(), pod.asks.end(), [&](const SubRequest& ask) {
        return Suits(context, ask, device);
      });
      if (!suits || (device.use && device.use->dedicated)) continue;
      for (const Consumption& consumption : pool.ConsumptionOf(d)) {
        const Quantity left = ledger.Left(p, consumption.counter);
        const ViewCounter& counter = pool.counters[consumption.counter];
        JointShortage::Amount amount{
            .devices = 1,
            .counter = counter.set.str() + "/" + counter.name.str(),
            .need = {.capacity = {}, .need = *consumption.amount, .left = left, .device = {}},
            .for_all = true};
        AddAmount(amount, shared);
        if (left >= *consumption.amount) continue;
        amount.for_all = false;
        AddAmount(std::move(amount), shortages);
        break;
      }
    }
  }
  return shortages.empty() ? shared : shortages;
}

std::vector<JointShortage::Amount> CapacityShortages(const SimulationContext& context,
                                                     const Workspace& taken, const Node& node,
                                                     const PodClaims& pod) {
  const NodeView view = ViewOf(context.snapshot, node);
  struct Totals {
    Quantity need, left;
    Lacking amounts;
  };
  std::map<Symbol, Totals> capacities;
  for (const SubRequest& ask : pod.asks) {
    const int devices =
        ask.all ? 1 : static_cast<int>(std::min(ask.request->count, kMaxResultsPerClaim));
    for (const auto& [name, found] : MostLeft(context, taken, view, ask)) {
      const auto& [shortage, device] = found;
      Totals& totals = capacities[name];
      totals.left = std::max(totals.left, *shortage.left);
      for (int i = 0; i < devices; ++i) totals.need = totals.need.AddUp(shortage.need);
      AddAmount({.devices = devices, .need = NeedOf(shortage, device)}, totals.amounts);
    }
  }
  Lacking all, short_ones;
  for (const auto& [name, totals] : capacities) {
    const Lacking& amounts = totals.amounts;
    all.insert(all.end(), amounts.begin(), amounts.end());
    if (totals.need > totals.left)
      short_ones.insert(short_ones.end(), amounts.begin(), amounts.end());
  }
  return short_ones.empty() ? all : short_ones;
}

void CountOn(const SimulationContext& context, const Workspace& taken, const Node& node,
             const PodClaims& pod, JointShortage& shortage) {
  const NodeView view = ViewOf(context.snapshot, node);
  const std::vector<SubRequest>& asks = pod.asks;
  shortage.requests = asks.size();
  // One alternative with enough serves a request.
  std::set<std::pair<uint32_t, const ClaimRequest*>> wanted, served;
  for (uint32_t i = 0; i < asks.size(); ++i) {
    const int free = CountFreeFor(pod, i, view, context.snapshot, &taken, context.caches.matches);
    wanted.emplace(asks[i].claim, asks[i].owner);
    if (asks[i].all ? free > 0 : free >= asks[i].request->count)
      served.emplace(asks[i].claim, asks[i].owner);
    if (i >= kMaxRequestsShown) continue;
    auto& found = shortage.found.emplace_back();
    found.request = asks[i].Name();
    if (pod.claims.size() > 1) found.claim = pod.claims[asks[i].claim].Describe();
    found.all = asks[i].all;
    found.count = asks[i].all ? 0 : asks[i].request->count;
    found.free = asks[i].all ? free : static_cast<int>(std::min<int64_t>(free, found.count));
  }
  shortage.each_alone = served == wanted;
}

}  // namespace fedra::dra
