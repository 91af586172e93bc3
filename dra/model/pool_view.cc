// How one node sees a pool: GatherPools of the scheduler, for one pool.

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "dra/model/node_match.h"
#include "dra/model/pool.h"

namespace fedra::dra {

bool IsCounterSlice(const Slice& slice, const AllocatorFeatures& features) {
  return features.partitionable_devices && !features.counters_per_slice && !slice.counters.empty();
}

bool IsEverywhere(const Slice& slice, const AllocatorFeatures& features) {
  return features.counter_slices_everywhere && IsCounterSlice(slice, features);
}

bool IsIgnored(const Slice& slice, const AllocatorFeatures& features) {
  if (features.partitionable_devices) return false;
  return slice.has_per_device || (features.counter_slices_ignored && !slice.counters.empty());
}

namespace {

// It holds names, which the API server bounds unless the object is older than the bound.
constexpr size_t kMaxProblem = 200;

bool HasBindingConditions(const Slice& slice) {
  return std::any_of(slice.devices.begin(), slice.devices.end(), [](const Device& device) {
    return device.extras && !device.extras->binding_conditions.empty();
  });
}

class ViewBuilder final {
 public:
  ViewBuilder(const PoolState& pool, const Node& node)
      : pool_(pool), features_(pool.features), node_(node) {}

  std::shared_ptr<const PoolView> Build();

 private:
  Result<bool> IsRelevant(const Slice& slice) const;
  bool CollectRelevant();
  size_t First() const;
  bool KeepNewest();
  void Fill();
  bool CheckDeviceNames();
  bool CollectCounters();
  bool CheckConsumption(size_t slice, bool keep_on_node);
  void AddDevices(size_t slice);
  void AddConsumption(const Slice& slice, const Device& device);
  void Consume(const Slice& slice, const Device& device);
  void CollectGroups();
  const uint32_t* FindCounter(const Slice& slice, const Symbol& set, const Symbol& name) const;
  bool Invalid(const std::string& why);
  bool IsAllocated(const Device& device) const {
    const DeviceUse* use = pool_.usage ? pool_.usage->Find(device.name) : nullptr;
    return use != nullptr && (use->dedicated || features_.shares_hold_counters);
  }

  const PoolState& pool_;
  const AllocatorFeatures& features_;
  const Node& node_;
  std::shared_ptr<PoolView> view_ = std::make_shared<PoolView>();
  std::vector<size_t> relevant_;   // indices of slices, ascending by name
  std::vector<size_t> elsewhere_;  // the other slices of the same generation, when looked for
  struct CounterKey {
    const Slice* scope;
    Symbol set, name;
    bool operator==(const CounterKey&) const = default;
  };
  struct CounterHash {
    size_t operator()(const CounterKey& key) const {
      return key.set.hash() * 31 + key.name.hash() + reinterpret_cast<uintptr_t>(key.scope);
    }
  };
  std::unordered_map<CounterKey, uint32_t, CounterHash> counter_index_;
  using SetKey = std::pair<const Slice*, Symbol>;
  std::set<SetKey> counter_sets_;
};

Result<bool> ViewBuilder::IsRelevant(const Slice& slice) const {
  if (IsIgnored(slice, features_)) return false;
  if (IsEverywhere(slice, features_)) return true;
  if (!slice.reach.empty()) return Reaches(slice.reach, node_);
  if (!slice.per_device) return false;  // a node selection of a future API
  for (const Device& device : slice.devices) {
    if (!device.extras) continue;
    FEDRA_ASSIGN_OR_RETURN(const bool matches, Reaches(device.extras->reach, node_));
    if (matches) return true;
  }
  return false;
}

bool ViewBuilder::CollectRelevant() {
  for (size_t i = 0; i < pool_.slices.size(); ++i) {
    const Slice& slice = *pool_.slices[i];
    const Result<bool> relevant = IsRelevant(slice);
    if (!relevant) {
      view_->status = PoolStatus::kBroken;
      view_->problem = "failed to perform node selection for slice " + slice.name.str() + ": " +
                       relevant.error().message;
      return false;
    }
    if (*relevant) relevant_.push_back(i);
  }
  return true;
}

// Slices that contradict each other about the count: the scheduler believes the one it met first.
// Those of the node itself come first. Beyond that its cache has no order; ours is by name, so that
// what is seen does not depend on how it came to be.
size_t ViewBuilder::First() const {
  const auto rank = [&](size_t i) {
    const Slice& slice = *pool_.slices[i];
    const bool late = features_.binding_slices_last && HasBindingConditions(slice);
    const bool own = features_.own_slices_first && !slice.reach.node_name.empty() &&
                     !IsEverywhere(slice, features_);
    return std::tuple(late, !own, slice.position, i);
  };
  return *std::min_element(relevant_.begin(), relevant_.end(),
                           [&](size_t a, size_t b) { return rank(a) < rank(b); });
}

// Drops older generations and decides whether the pool is complete. False: there is nothing to see.
bool ViewBuilder::KeepNewest() {
  const auto generation = [&](size_t i) { return pool_.slices[i]->generation; };
  int64_t newest = generation(relevant_.front());
  for (const size_t i : relevant_) newest = std::max(newest, generation(i));
  std::erase_if(relevant_, [&](size_t i) { return generation(i) != newest; });
  const int64_t wanted = pool_.slices[First()]->pool_slices;
  if (static_cast<int64_t>(relevant_.size()) == wanted) return true;
  auto seen = static_cast<int64_t>(relevant_.size());
  const auto incomplete = [&] {
    view_->status = PoolStatus::kIncomplete;
    view_->problem = "has " + std::to_string(seen) + " of " + std::to_string(wanted) +
                     " slices of generation " + std::to_string(newest);
    if (features_.complete_on_node) view_->problem += " on this node";
    return true;
  };
  if (features_.complete_on_node) return incomplete();
  seen = 0;
  for (size_t i = 0; i < pool_.slices.size(); ++i) {
    if (generation(i) > newest) return false;
    if (generation(i) != newest) continue;
    ++seen;
    if (!std::binary_search(relevant_.begin(), relevant_.end(), i)) elsewhere_.push_back(i);
  }
  return seen == wanted || incomplete();
}

bool ViewBuilder::Invalid(const std::string& why) {
  view_->status = PoolStatus::kInvalid;
  view_->problem = Cut(why, kMaxProblem);
  view_->devices.clear();
  return false;
}

bool ViewBuilder::CheckDeviceNames() {
  std::unordered_set<Symbol> names;
  for (const size_t i : relevant_) {
    if (IsCounterSlice(*pool_.slices[i], features_)) continue;
    for (const Device& device : pool_.slices[i]->devices)
      if (!names.insert(device.name).second)
        return Invalid("two devices are named " + device.name.str() + ", one of them in slice " +
                       pool_.slices[i]->name.str());
  }
  return true;
}

bool ViewBuilder::CollectCounters() {
  std::vector<size_t> all = relevant_;
  all.insert(all.end(), elsewhere_.begin(), elsewhere_.end());
  for (const size_t i : all) {
    const Slice& slice = *pool_.slices[i];
    const Slice* scope = features_.counters_per_slice ? &slice : nullptr;
    for (const CounterSet& set : slice.counters) {
      if (!counter_sets_.insert(SetKey(scope, set.name)).second)
        return Invalid("two counter sets are named " + set.name.str());
      for (const Counter& counter : set.counters) {
        counter_index_.emplace(CounterKey{scope, set.name, counter.name},
                               static_cast<uint32_t>(view_->counters.size()));
        view_->counters.push_back({scope, set.name, counter.name, counter.value});
      }
    }
  }
  return true;
}

const uint32_t* ViewBuilder::FindCounter(const Slice& slice, const Symbol& set,
                                         const Symbol& name) const {
  const Slice* scope = features_.counters_per_slice ? &slice : nullptr;
  const auto at = counter_index_.find(CounterKey{scope, set, name});
  return at == counter_index_.end() ? nullptr : &at->second;
}

// Every counter that a device consumes must exist; what allocated devices consume is deducted.
bool ViewBuilder::CheckConsumption(size_t index, bool keep_on_node) {
  const Slice& slice = *pool_.slices[index];
  if (IsCounterSlice(slice, features_) && !features_.counter_slices_everywhere) return true;
  for (const Device& device : slice.devices) {
    if (!device.consumes) continue;
    const Slice* scope = features_.counters_per_slice ? &slice : nullptr;
    for (const CounterSet& set : *device.consumes) {
      if (!counter_sets_.contains(SetKey(scope, set.name)))
        return Invalid("counter set " + set.name.str() + " not found");
      for (const Counter& counter : set.counters)
        if (FindCounter(slice, set.name, counter.name) == nullptr)
          return Invalid("counter " + counter.name.str() + " of set " + set.name.str() +
                         " not found");
    }
    // Devices beside counter sets are never allocated and hold nothing.
    const bool holds = !keep_on_node || !IsCounterSlice(slice, features_);
    if (holds && IsAllocated(device)) Consume(slice, device);
  }
  return true;
}

void ViewBuilder::Consume(const Slice& slice, const Device& device) {
  for (const CounterSet& set : *device.consumes) {
    for (const Counter& counter : set.counters) {
      Quantity& available = view_->counters[*FindCounter(slice, set.name, counter.name)].available;
      available = available.Sub(counter.value).value_or(available);
    }
  }
}

// compatibilityGroupsBaselineForPool of the experimental allocator, 1.37: the node's own slices
// come first.
void ViewBuilder::CollectGroups() {
  std::vector<size_t> all = relevant_;
  all.insert(all.end(), elsewhere_.begin(), elsewhere_.end());
  const auto for_each = [&](auto&& visit) {
    for (const size_t i : all) {
      if (IsCounterSlice(*pool_.slices[i], features_)) continue;
      for (const Device& device : pool_.slices[i]->devices) {
        if (!device.consumes) continue;
        for (const CounterSet& set : *device.consumes) visit(device, set);
      }
    }
  };
  std::vector<ViewGroups>& known = view_->groups;
  const auto find = [&](const Symbol& set) {
    return std::find_if(known.begin(), known.end(),
                        [&](const ViewGroups& groups) { return groups.set == set; });
  };
  for_each([&](const Device&, const CounterSet& set) {
    if (!set.groups.empty() && find(set.name) == known.end()) known.push_back({set.name, {}});
  });
  if (known.empty()) return;
  for_each([&](const Device& device, const CounterSet& set) {
    const auto at = find(set.name);
    if (at != known.end() && IsAllocated(device)) at->allocated.Add(set.groups);
  });
}

void ViewBuilder::AddConsumption(const Slice& slice, const Device& device) {
  if (!device.consumes) return;
  for (const CounterSet& set : *device.consumes) {
    for (const Counter& counter : set.counters) {
      const uint32_t* at = FindCounter(slice, set.name, counter.name);
      if (at == nullptr) continue;
      view_->consumption.push_back({.counter = *at, .amount = &counter.value});
      if (counter.value.Sign() < 0) view_->negative_consumption = true;
    }
  }
}

void ViewBuilder::AddDevices(size_t index) {
  const Slice& slice = *pool_.slices[index];
  for (uint32_t i = 0; i < slice.devices.size(); ++i) {
    const Device& device = slice.devices[i];
    uint32_t slot = pool_.first_slot[index] + i;
    const auto rule =
        std::lower_bound(pool_.rule_taints.begin(), pool_.rule_taints.end(), slot,
                         [](const auto& entry, uint32_t wanted) { return entry.first < wanted; });
    const bool ruled = rule != pool_.rule_taints.end() && rule->first == slot;
    const auto alias =
        std::lower_bound(pool_.aliases.begin(), pool_.aliases.end(), slot,
                         [](const auto& entry, uint32_t wanted) { return entry.first < wanted; });
    if (alias != pool_.aliases.end() && alias->first == slot) slot = alias->second;
    NodeFit fit = NodeFit::kYes;
    if (slice.per_device) {
      const auto matches = Reaches(device.extras ? device.extras->reach : NodeReach(), node_);
      fit = !matches ? NodeFit::kError : *matches ? NodeFit::kYes : NodeFit::kNo;
    }
    view_->devices.push_back({.slice = &slice,
                              .device = &device,
                              .index = i,
                              .slot = slot,
                              .use = pool_.usage ? pool_.usage->Find(device.name) : nullptr,
                              .taints = ruled ? &rule->second : nullptr,
                              .node_fit = fit});
    AddConsumption(slice, device);
    if (!view_->counters.empty())
      view_->consumption_begin.push_back(static_cast<uint32_t>(view_->consumption.size()));
  }
}

void ViewBuilder::Fill() {
  const auto is_plain = [&](size_t i) { return !HasBindingConditions(*pool_.slices[i]); };
  if (features_.binding_pools_last)
    view_->has_binding_conditions = !std::all_of(relevant_.begin(), relevant_.end(), [&](size_t i) {
      return IsCounterSlice(*pool_.slices[i], features_) || is_plain(i);
    });
  if (features_.binding_slices_last)
    std::stable_partition(relevant_.begin(), relevant_.end(), is_plain);
  if (!CheckDeviceNames()) return;
  if (features_.partitionable_devices) {
    if (!CollectCounters()) return;
    for (const size_t i : relevant_)
      if (!CheckConsumption(i, true)) return;
    for (const size_t i : elsewhere_)
      if (!CheckConsumption(i, false)) return;
    if (features_.compatibility_groups) CollectGroups();
  }
  if (!view_->counters.empty()) view_->consumption_begin.push_back(0);
  for (const size_t i : relevant_)
    if (!IsCounterSlice(*pool_.slices[i], features_)) AddDevices(i);
}

std::shared_ptr<const PoolView> ViewBuilder::Build() {
  view_->key = pool_.key;
  if (!CollectRelevant()) return view_;
  if (relevant_.empty() || !KeepNewest()) return nullptr;
  if (view_->status == PoolStatus::kReady || features_.incomplete_pools_serve) Fill();
  return view_;
}

}  // namespace

std::shared_ptr<const PoolView> MakePoolView(const PoolState& pool, const Node& node) {
  return ViewBuilder(pool, node).Build();
}

}  // namespace fedra::dra
