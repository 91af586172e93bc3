#include "manager/report/device_map.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "dra/allocator/counters.h"
#include "dra/allocator/match.h"
#include "manager/report/device_walk.h"
#include "manager/report/page_token.h"

namespace fedra::report {
namespace {

using dra::PoolView;
using dra::ViewDevice;

// What is to be shown of one pool on one node, before anything is looked up.
struct PoolOnNode {
  dra::PoolKey key;
  std::optional<PoolSight> sight;
  UnseenDevices unseen;
};

// By node.
using PoolsByNode = std::map<std::string, std::vector<PoolOnNode>>;

void AddPlaces(const dra::Snapshot& snapshot, const dra::PoolState& pool, PoolsByNode& places) {
  PoolWalk walk = WalkPool(snapshot, pool);
  for (PoolSight& sight : walk.seen)
    if (!sight.view->devices.empty())
      places[sight.node].push_back({pool.key, std::move(sight), {}});
  std::map<std::string, UnseenDevices> unseen;
  for (const UnseenDevice& device : walk.unseen.devices) {
    // Where people look for it.
    UnseenDevices& there = unseen[device.slice->reach.node_name.str()];
    there.why = walk.unseen.why;
    there.problem = walk.unseen.problem;
    there.devices.push_back(device);
  }
  for (auto& [node, devices] : unseen)
    places[node].push_back({pool.key, std::nullopt, std::move(devices)});
}

UnusableCause CauseOf(WhyUnseen why) {
  switch (why) {
    case WhyUnseen::kIncomplete:
      return UnusableCause::kPoolIncomplete;
    case WhyUnseen::kInvalid:
      return UnusableCause::kPoolInvalid;
    case WhyUnseen::kNotReached:
      break;
  }
  return UnusableCause::kNotReached;
}

Quantity UsedOf(const Quantity& total, const Quantity& left) {
  return total.Sub(left).value_or(total);
}

// A counter's published amount.
std::optional<Quantity> TotalOf(const PoolView& view, const dra::PoolState& pool,
                                const dra::ViewCounter& counter) {
  const int64_t generation = view.devices.empty() ? 0 : view.devices.front().slice->generation;
  for (const auto& slice : pool.slices) {
    if (counter.scope != nullptr ? slice.get() != counter.scope : slice->generation != generation)
      continue;
    for (const dra::CounterSet& set : slice->counters) {
      if (set.name != counter.set) continue;
      for (const dra::Counter& each : set.counters)
        if (each.name == counter.name) return each.value;
    }
  }
  return std::nullopt;
}

class Mapper final {
 public:
  explicit Mapper(const DeviceSource& source)
      : snapshot_(*source.snapshot), jobs_(source.jobs.get()) {
    snapshot_.classes().ForEach([&](const dra::Symbol& name, const auto& device_class) {
      const auto& is_cel = device_class->selector_is_cel;
      if (std::find(is_cel.begin(), is_cel.end(), false) != is_cel.end()) return;
      classes_.emplace_back(name.str(), matches_.Intern(device_class->selectors, {},
                                                        snapshot_.features(), selectors_));
    });
  }

  MappedNode NodeAt(const std::string& name, const std::vector<PoolOnNode>& pools);

 private:
  MappedPool PoolAt(const PoolOnNode& place);
  std::vector<MappedCounterSet> CounterSetsOf(const PoolView& view) const;
  MappedDevice DeviceAt(const PoolSight& sight, size_t index);
  UnusableCause WhyUnusable(const PoolSight& sight, size_t index) const;
  std::vector<MappedHolder> HoldersOf(const dra::DeviceUse& use) const;
  std::vector<std::string> ClassesOf(const dra::Slice& slice, size_t index);

  const dra::Snapshot& snapshot_;
  const dra::JobOfClaim* const jobs_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_;
  std::vector<std::pair<std::string, dra::ConjunctionId>> classes_;
};

MappedNode Mapper::NodeAt(const std::string& name, const std::vector<PoolOnNode>& pools) {
  MappedNode node{.name = name};
  if (!name.empty()) {
    const auto* const found = snapshot_.nodes().Find(dra::Symbol(name));
    node.exists = found != nullptr;
    node.cordoned = found != nullptr && (*found)->unschedulable;
  }
  for (const PoolOnNode& place : pools) node.pools.push_back(PoolAt(place));
  return node;
}

MappedPool Mapper::PoolAt(const PoolOnNode& place) {
  MappedPool pool{place.key.driver.str(), place.key.pool.str(), place.unseen.problem};
  if (place.sight) {
    pool.counter_sets = CounterSetsOf(*place.sight->view);
    for (size_t i = 0; i < place.sight->view->devices.size(); ++i)
      pool.devices.push_back(DeviceAt(*place.sight, i));
  }
  for (const UnseenDevice& device : place.unseen.devices) {
    pool.devices.push_back({.name = device.device->name.str(),
                            .state = DeviceCondition::kUnusable,
                            .why = CauseOf(place.unseen.why)});
  }
  std::ranges::stable_sort(pool.devices, {}, &MappedDevice::name);
  return pool;
}

std::vector<MappedCounterSet> Mapper::CounterSetsOf(const PoolView& view) const {
  std::vector<MappedCounterSet> sets;
  const auto* const pool = snapshot_.pools().Find(view.key);
  for (const dra::ViewCounter& counter : view.counters) {
    const std::optional<Quantity> total = TotalOf(view, **pool, counter);
    if (!total) continue;
    auto set = std::ranges::find_if(
        sets, [&](const MappedCounterSet& each) { return each.name == counter.set.view(); });
    if (set == sets.end()) set = sets.insert(set, MappedCounterSet{counter.set.str(), {}});
    set->counters.push_back({counter.name.str(), *total, UsedOf(*total, counter.available)});
  }
  std::ranges::stable_sort(sets, {}, &MappedCounterSet::name);
  return sets;
}

std::vector<MappedTaint> TaintsOf(const ViewDevice& device) {
  std::vector<MappedTaint> taints;
  const auto add = [&](const std::vector<dra::Taint>& more) {
    for (const dra::Taint& taint : more)
      taints.push_back(
          {taint.key.str(), taint.value.str(), taint.effect_text.str(), taint.rule.str()});
  };
  if (device.device->extras) add(device.device->extras->taints);
  if (device.taints != nullptr) add(*device.taints);
  return taints;
}

std::vector<AmountUse> SharesOf(const ViewDevice& device) {
  std::vector<AmountUse> shares;
  if (!device.device->capacity || device.use == nullptr) return shares;
  for (const dra::Capacity& capacity : *device.device->capacity) {
    const Quantity* const used =
        device.use->consumed ? dra::FindAmount(*device.use->consumed, capacity.name) : nullptr;
    shares.push_back({capacity.name.str(), capacity.value, used == nullptr ? Quantity() : *used});
  }
  return shares;
}

std::vector<CounterDemand> ConsumesOf(const dra::Device& device) {
  std::vector<CounterDemand> demands;
  if (!device.consumes) return demands;
  for (const dra::CounterSet& set : *device.consumes) {
    CounterDemand& demand = demands.emplace_back(CounterDemand{set.name.str(), {}});
    for (const dra::Counter& counter : set.counters)
      demand.counters.emplace_back(counter.name.str(), counter.value);
  }
  return demands;
}

MappedDevice Mapper::DeviceAt(const PoolSight& sight, size_t index) {
  const ViewDevice& device = sight.view->devices[index];
  const DeviceCondition condition = NowOf(sight, index, snapshot_.features()).condition;
  MappedDevice mapped{.name = device.device->name.str(), .state = condition};
  if (condition == DeviceCondition::kUnusable) mapped.why = WhyUnusable(sight, index);
  mapped.classes = ClassesOf(*device.slice, device.index);
  if (device.use != nullptr) mapped.holders = HoldersOf(*device.use);
  mapped.taints = TaintsOf(device);
  if (condition == DeviceCondition::kShared) mapped.shares = SharesOf(device);
  mapped.consumes = ConsumesOf(*device.device);
  return mapped;
}

UnusableCause Mapper::WhyUnusable(const PoolSight& sight, size_t index) const {
  if (!sight.node_exists) return UnusableCause::kNodeMissing;
  const bool by_groups =
      dra::FindGroupConflict(*sight.view, index, nullptr, snapshot_.features()) != nullptr;
  return by_groups ? UnusableCause::kGroupConflict : UnusableCause::kCountersExhausted;
}

std::vector<MappedHolder> Mapper::HoldersOf(const dra::DeviceUse& use) const {
  std::vector<MappedHolder> holders;
  for (const ObjectKey& claim : use.holders) {
    MappedHolder& holder = holders.emplace_back(MappedHolder{claim.ns, claim.name, ""});
    if (jobs_ == nullptr) continue;
    if (const auto job = jobs_->find(claim); job != jobs_->end()) holder.job = job->second.name;
  }
  return holders;
}

std::vector<std::string> Mapper::ClassesOf(const dra::Slice& slice, size_t index) {
  std::vector<std::string> names;
  for (const auto& [name, conjunction] : classes_)
    if (matches_.Match(conjunction, slice)[index] == dra::kMatches) names.push_back(name);
  return names;
}

// The last node of a page, for the next one: of this worker.
std::string TokenOf(const std::string& worker, const std::string& node) {
  return PageToken(worker + "\n" + node);
}

Result<std::string> NodeIn(const std::string& token, const std::string& worker) {
  const auto text = TextOfPageToken(token);
  if (!text || text->find('\n') == std::string::npos)
    return Fail(WrongOption("continue", "this is no word of `continue` of an answer"));
  const size_t end = text->find('\n');
  if (text->substr(0, end) != worker)
    return Fail(WrongOption("continue", "it belongs to another worker: begin without it"));
  return text->substr(end + 1);
}

}  // namespace

std::string_view ToString(UnusableCause cause) {
  switch (cause) {
    case UnusableCause::kCountersExhausted:
      return "CountersExhausted";
    case UnusableCause::kGroupConflict:
      return "GroupConflict";
    case UnusableCause::kNodeMissing:
      return "NodeMissing";
    case UnusableCause::kNotReached:
      return "NotReached";
    case UnusableCause::kPoolIncomplete:
      return "PoolIncomplete";
    case UnusableCause::kPoolInvalid:
      break;
  }
  return "PoolInvalid";
}

Result<DeviceMap> MapDevices(const DeviceSource& source, const DeviceMapQuery& query) {
  PoolsByNode places;
  source.snapshot->pools().ForEach(
      [&](const dra::PoolKey&, const auto& pool) { AddPlaces(*source.snapshot, *pool, places); });
  if (!query.node.empty() && !places.contains(query.node))
    return Fail(WrongOption("node", "no devices are published there", query.node));
  if (!query.node.empty())
    std::erase_if(places, [&](const auto& place) { return place.first != query.node; });
  auto next = places.begin();
  if (!query.go_on.empty()) {
    FEDRA_ASSIGN_OR_RETURN(const std::string last, NodeIn(query.go_on, source.worker));
    next = places.upper_bound(last);
  }
  const size_t limit = query.limit == 0 ? kMostMapNodes : std::min(query.limit, kMostMapNodes);
  DeviceMap map{.worker = source.worker};
  Mapper mapper(source);
  for (; next != places.end() && map.nodes.size() < limit; ++next)
    map.nodes.push_back(mapper.NodeAt(next->first, next->second));
  map.remaining = static_cast<size_t>(std::distance(next, places.end()));
  if (map.remaining > 0) map.go_on = TokenOf(source.worker, map.nodes.back().name);
  return map;
}

}  // namespace fedra::report
