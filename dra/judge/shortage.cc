#include "dra/judge/shortage.h"

#include <algorithm>
#include <map>
#include <set>

#include "dra/allocator/counters.h"

namespace fedra::dra {
namespace {

// A message is read by people.
constexpr size_t kMaxRequestsShown = 8;

bool Suits(const SimulationContext& context, const SubRequest& ask, const ViewDevice& device) {
  return context.caches.matches.Match(ask.match, *device.slice)[device.index] == kMatches;
}

// The most that is left of each capacity on a device that suits the request, and on which device.
std::map<Text, std::pair<CapacityShortage, Text>> MostLeft(const SimulationContext& context,
                                                           const Workspace& taken,
                                                           const NodeView& view,
                                                           const SubRequest& ask) {
  std::map<Text, std::pair<CapacityShortage, Text>> best;
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

std::string Join(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [what, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return text;
}

std::string CounterShortages(const SimulationContext& context, const Workspace& taken,
                             const Node& node, const PodClaims& pod) {
  const NodeView view = ViewOf(context.snapshot, node);
  CounterLedger ledger(view, &taken, context.features().counters_by_pool_name);
  std::map<std::string, int> shortages;
  std::map<std::string, int> shared;
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
        const std::string need = "need " + consumption.amount->ToString();
        const std::string of = " of " + counter.set.str() + "/" + counter.name.str() + " (" +
                               left.ToString() + " left";
        ++shared[need + " each" + of + " for all)"];
        if (left >= *consumption.amount) continue;
        ++shortages[need + of + ")"];
        break;
      }
    }
  }
  return Join(shortages.empty() ? shared : shortages);
}

std::string CapacityShortages(const SimulationContext& context, const Workspace& taken,
                              const Node& node, const PodClaims& pod) {
  const NodeView view = ViewOf(context.snapshot, node);
  struct Totals {
    Quantity need, left;
    std::map<std::string, int> texts;
  };
  std::map<Text, Totals> capacities;
  for (const SubRequest& ask : pod.asks) {
    const int devices =
        ask.all ? 1 : static_cast<int>(std::min(ask.request->count, kMaxResultsPerClaim));
    for (const auto& [name, found] : MostLeft(context, taken, view, ask)) {
      const auto& [shortage, device] = found;
      Totals& totals = capacities[name];
      totals.left = std::max(totals.left, *shortage.left);
      for (int i = 0; i < devices; ++i)
        totals.need = totals.need.Add(shortage.need).value_or(totals.need);
      totals.texts[Describe(shortage, device)] += devices;
    }
  }
  std::map<std::string, int> all, short_ones;
  for (const auto& [name, totals] : capacities) {
    all.insert(totals.texts.begin(), totals.texts.end());
    if (totals.need > totals.left) short_ones.insert(totals.texts.begin(), totals.texts.end());
  }
  return Join(short_ones.empty() ? all : short_ones);
}

std::string CountsOn(const SimulationContext& context, const Workspace& taken, const Node& node,
                     const PodClaims& pod) {
  const NodeView view = ViewOf(context.snapshot, node);
  const std::vector<SubRequest>& asks = pod.asks;
  std::string text;
  // One alternative with enough serves a request.
  std::set<std::pair<uint32_t, const ClaimRequest*>> wanted, served;
  for (uint32_t i = 0; i < asks.size(); ++i) {
    const int free = CountFreeFor(pod, i, view, context.snapshot, &taken, context.caches.matches);
    wanted.emplace(asks[i].claim, asks[i].owner);
    if (asks[i].all ? free > 0 : free >= asks[i].request->count)
      served.emplace(asks[i].claim, asks[i].owner);
    if (i >= kMaxRequestsShown) continue;
    text += (i == 0 ? "request " : ", request ") + asks[i].Name();
    if (pod.claims.size() > 1) text += " of " + pod.claims[asks[i].claim].Describe();
    text += asks[i].all ? ": " + std::to_string(free)
                        : ": " + std::to_string(std::min<int64_t>(free, asks[i].request->count)) +
                              " of " + std::to_string(asks[i].request->count);
  }
  if (asks.size() > kMaxRequestsShown) text += ", ...";
  return text + (served == wanted ? ", each alone" : "");
}

}  // namespace fedra::dra
