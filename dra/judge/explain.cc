#include "dra/judge/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "dra/allocator/candidates.h"
#include "dra/allocator/counters.h"
#include "dra/judge/selector_advice.h"

namespace fedra::dra {

using verdict::CountedCause;
using verdict::Rule;

namespace {

void Count(std::vector<CountedCause>& causes, Rule rule, const std::string& detail) {
  const auto at = std::find_if(causes.begin(), causes.end(),
                               [&](const CountedCause& cause) { return cause.detail == detail; });
  if (at == causes.end())
    causes.push_back({.rule = rule, .devices = 1, .detail = detail});
  else
    ++at->devices;
}

// Of the newest generation: older slices are about to be replaced.
std::vector<const Slice*> NewestSlices(const PoolState& pool) {
  int64_t newest = INT64_MIN;
  for (const auto& slice : pool.slices) newest = std::max(newest, slice->generation);
  std::vector<const Slice*> slices;
  for (const auto& slice : pool.slices)
    if (slice->generation == newest) slices.push_back(slice.get());
  return slices;
}

int CountAll(const PoolState& pool) {
  int devices = 0;
  for (const Slice* slice : NewestSlices(pool)) devices += static_cast<int>(slice->devices.size());
  return devices;
}

// Counts the devices of one ask, pool by pool.
class Tally final {
 public:
  Tally(const PodClaims& pod, uint32_t ask, const Snapshot& snapshot, const Workspace* placed,
        MatchCache& matches)
      : ask_(pod.asks[ask]), snapshot_(snapshot), placed_(placed), matches_(matches) {
    report_.NameAfter(pod, ask_);
    report_.device_class = ask_.request->device_class.str();
    report_.all = ask_.all;
    report_.wanted = ask_.all ? 0 : ask_.request->count;
  }

  void AddPool(const PoolState& pool, const std::function<bool(const Node&)>& usable);
  void AddView(const PoolView& view, const Symbol& node, bool usable);
  void AddNode(const NodeView& node);
  RequestReport Take() {
    for (const auto& [node, count] : free_on_node_)
      report_.most_on_one_node = std::max(report_.most_on_one_node, count);
    if (shortage_) report_.shortage = NeedOf(*shortage_, short_device_);
    NameHolders(nullptr, report_);
    return std::move(report_);
  }

 private:
  void AddRoaming(const PoolState& pool, const std::function<bool(const Node&)>& usable);
  // What is known of the devices of a pool that several nodes may reach.
  enum class Reach : uint8_t { kNone, kNotFree, kFree };
  struct Reached {
    std::map<const Slice*, std::vector<Reach>> of_slice;
    int devices = 0;
  };
  Reach CountReached(const PoolView& view, size_t device);
  void AddReached(const PoolView& view, const Symbol& node, Reached& reached);
  void AddUnreached(const PoolState& pool, const Reached& reached);
  // `view`: how some node sees the pool; null: none knows why it cannot be used. `reachable`: the
  // pod can use such a node.
  void AddUnusable(const PoolState& pool, const PoolView* view, int devices, bool reachable);
  // Each device that fails a selector under that one; how many others there are.
  int CountFailing(const PoolState& pool);
  bool Serves(const PoolView& view) const {
    return view.status == PoolStatus::kReady ||
           (view.status == PoolStatus::kIncomplete && snapshot_.features().incomplete_pools_serve);
  }
  bool IsOfOtherDriver(const PoolState& pool);
  // The selectors stand against it.
  void CountSelectors(const ViewDevice& device, uint8_t code);
  void CountCause(const Cause& cause);
  // Whether the devices of the slice are for other nodes, by what they need of a node.
  bool IsForOthers(const Slice& slice, const Symbol& node) const {
    const auto* found = snapshot_.nodes().Find(node);
    return found != nullptr && LacksOperations(**found, slice, snapshot_.features());
  }
  // True: it could be taken.
  bool CountMatching(const PoolView& view, size_t device);
  bool HasCapacity(const ViewDevice& device, const SimulatedUse* held);

  const SubRequest& ask_;
  const Snapshot& snapshot_;
  const Workspace* placed_;
  MatchCache& matches_;
  RequestReport report_;
  std::map<std::pair<size_t, std::string>, size_t> failures_;  // selector, error -> of `errors`
  std::set<ObjectKey> holders_;
  std::map<Symbol, int> free_on_node_;
  std::optional<CapacityShortage> shortage_;  // the smallest, and where it is
  Symbol short_device_;
};

// Amounts of different capacities cannot be compared: the first one met counts.
bool IsSmaller(const CapacityShortage& a, const CapacityShortage& b) {
  if (a.refused != b.refused) return b.refused;
  if (!a.left || !b.left) return a.left && !b.left;
  return a.name == b.name && *a.left > *b.left;
}

void Tally::CountSelectors(const ViewDevice& device, uint8_t code) {
  if (code == kSelectorFails) {
    const SelectorFailure failure = matches_.FailureOf(ask_.match, *device.slice, device.index);
    // The first device stands for all on which the same selector fails.
    const auto key = std::pair(failure.selector, failure.error);
    const auto [at, is_new] = failures_.try_emplace(key, report_.errors.size());
    if (!is_new) {
      ++report_.errors[at->second].devices;
      return;
    }
    const std::string name = device.slice->pool.ToString() + "/" + device.device->name.str();
    const std::string error =
        DescribeFailure(ask_, failure, name, matches_) + AdviceBehind(failure, snapshot_);
    if (failure.compile_error) report_.compile_error = error;
    report_.errors.push_back({.rule = Rule::kSelectorError,
                              .devices = 1,
                              .detail = failure.compile_error
                                            ? DescribeSelector(ask_, failure, name, matches_)
                                            : error});
    return;
  }
  CountCause(matches_.CauseOf(ask_.match, code));
}

void Tally::CountCause(const Cause& cause) {
  const size_t in_class = ask_.device_class ? ask_.device_class->selectors.size() : 0;
  if (cause.names_driver)
    ++report_.other_driver;
  else if (cause.selector < in_class)
    Count(report_.class_selectors, Rule::kClassSelector, cause.text);
  else
    Count(report_.request_selectors, Rule::kRequestSelector, cause.text);
}

bool Tally::HasCapacity(const ViewDevice& device, const SimulatedUse* held) {
  const AllocatorFeatures& features = snapshot_.features();
  if (!features.consumable_capacity) return true;
  const std::vector<const Amounts*> taken = TakenOf(device, held);
  // A device without consumers has room for a request that names no amounts.
  if (taken.empty() && !ask_.request->has_capacity) return true;
  const auto shortage = FindShortage(*device.device, *ask_.request, taken, features);
  if (!shortage) return true;
  if (!shortage_ || IsSmaller(*shortage, *shortage_)) {
    shortage_ = shortage;
    short_device_ = device.device->name;
  }
  return false;
}

bool Tally::CountMatching(const PoolView& view, size_t index) {
  const ViewDevice& device = view.devices[index];
  const Workspace::Pool* placed = placed_ ? placed_->Find(view.key) : nullptr;
  const SimulatedUse* held = placed ? placed->Find(device.slot) : nullptr;
  report_.shareable = report_.shareable || device.device->allow_multiple.value_or(false);
  if (const Taint* taint = BlockingTaint(device, *ask_.request, snapshot_.features())) {
    const std::string value = taint->value.empty() ? "" : "=" + taint->value.str();
    const std::string by =
        taint->rule.empty() ? " (by its driver)" : " (DeviceTaintRule " + taint->rule.str() + ")";
    Count(report_.taints, Rule::kTaint,
          taint->effect_text.str() + " " + taint->key.str() + value + by);
    return false;
  }
  if (!ask_.admin && device.use && device.use->dedicated) {
    ++report_.allocated;
    for (const ObjectKey& holder : device.use->holders) {
      if (!holders_.insert(holder).second) continue;
      ++report_.all_claims;
      if (report_.claims.size() < kMaxClaimsKept) report_.claims.push_back(holder);
    }
    return false;
  }
  if (!ask_.admin && held && held->dedicated) {
    ++(held->assumed ? report_.assumed : report_.placed);
    return false;
  }
  if (const Symbol* set = FindGroupConflict(view, index, placed, snapshot_.features())) {
    Count(report_.groups, Rule::kGroups, set->str());
    return false;
  }
  if (!HasCapacity(device, held)) {
    ++report_.capacity;
    return false;
  }
  ++report_.free;
  return true;
}

void Tally::AddView(const PoolView& view, const Symbol& node, bool usable) {
  const Slice* slice = nullptr;
  std::span<const uint8_t> codes;  // of the slice
  bool for_others = false;
  int free = 0;
  for (size_t i = 0; i < view.devices.size(); ++i) {
    const ViewDevice& device = view.devices[i];
    if (device.slice != slice) {
      slice = device.slice;
      codes = matches_.Match(ask_.match, *slice);
      for_others = IsForOthers(*slice, node);
    }
    ++report_.devices;
    if (codes[device.index] != kMatches) {
      CountSelectors(device, codes[device.index]);
    } else if (!usable || for_others || device.node_fit != NodeFit::kYes) {
      ++report_.other_node;
    } else {
      free += CountMatching(view, i);
    }
  }
  if (free > 0) free_on_node_[node] += free;
}

// One device stands for all of the pool, those that are yet to be published included: they have the
// same driver.
bool Tally::IsOfOtherDriver(const PoolState& pool) {
  for (const auto& slice : pool.slices)
    for (const uint8_t code : matches_.Match(ask_.match, *slice))
      if (code != kMatches && code <= kLastCause && matches_.CauseOf(ask_.match, code).names_driver)
        return true;
  return false;
}

int Tally::CountFailing(const PoolState& pool) {
  int others = 0;
  for (const Slice* slice : NewestSlices(pool)) {
    for (const uint8_t code : matches_.Match(ask_.match, *slice)) {
      if (code == kMatches || code > kLastCause)
        ++others;
      else
        CountCause(matches_.CauseOf(ask_.match, code));
    }
  }
  return others;
}

// What is still to come to an incomplete pool may match; an invalid one has all its devices.
void Tally::AddUnusable(const PoolState& pool, const PoolView* view, int devices, bool reachable) {
  report_.devices += devices;
  if (IsOfOtherDriver(pool)) {
    report_.other_driver += devices;
    return;
  }
  const bool all_known = !reachable || (view && view->status == PoolStatus::kInvalid);
  const int unusable = all_known && devices == CountAll(pool) ? CountFailing(pool) : devices;
  if (!reachable) {
    report_.other_node += unusable;
    return;
  }
  report_.unusable_pool += unusable;
  if (unusable == 0 || !view || view->problem.empty()) return;
  if (report_.pool_problems.size() < kMaxPoolProblems)
    report_.pool_problems.push_back(view->key.ToString() + ": " + view->problem);
}

Tally::Reach Tally::CountReached(const PoolView& view, size_t index) {
  const ViewDevice& device = view.devices[index];
  ++report_.devices;
  const uint8_t code = matches_.Match(ask_.match, *device.slice)[device.index];
  if (code == kMatches) return CountMatching(view, index) ? Reach::kFree : Reach::kNotFree;
  CountSelectors(device, code);
  return Reach::kNotFree;
}

// Counts what the node reaches; each device once, whichever nodes reach it.
void Tally::AddReached(const PoolView& view, const Symbol& node, Reached& reached) {
  int free = 0;
  const Slice* slice = nullptr;
  std::vector<Reach>* known = nullptr;  // of the slice
  for (size_t i = 0; i < view.devices.size(); ++i) {
    const ViewDevice& device = view.devices[i];
    if (device.node_fit != NodeFit::kYes || IsForOthers(*device.slice, node)) continue;
    if (device.slice != slice) {
      slice = device.slice;
      known = &reached.of_slice[slice];
      known->resize(slice->devices.size());
    }
    Reach& reach = (*known)[device.index];
    if (reach == Reach::kNone) {
      ++reached.devices;
      reach = CountReached(view, i);
    }
    free += reach == Reach::kFree;
  }
  if (free > 0) free_on_node_[node] += free;
}

// Devices of the newest generation that no usable node reaches.
void Tally::AddUnreached(const PoolState& pool, const Reached& reached) {
  for (const Slice* slice : NewestSlices(pool)) {
    const auto known = reached.of_slice.find(slice);
    const std::span<const uint8_t> codes = matches_.Match(ask_.match, *slice);
    for (size_t i = 0; i < codes.size(); ++i) {
      if (known != reached.of_slice.end() && known->second[i] != Reach::kNone) continue;
      ++report_.devices;
      if (codes[i] == kMatches || codes[i] > kLastCause)
        ++report_.other_node;
      else
        CountCause(matches_.CauseOf(ask_.match, codes[i]));
    }
  }
}

// Every node may reach other devices of the pool, and see it broken or not.
void Tally::AddRoaming(const PoolState& pool, const std::function<bool(const Node&)>& usable) {
  Reached reached;
  std::shared_ptr<const PoolView> broken;
  snapshot_.nodes().ForEach([&](const Symbol& name, const auto& node) {
    if (!usable(*node)) return;
    const auto view = MakePoolView(pool, *node);
    if (view && Serves(*view))
      AddReached(*view, name, reached);
    else if (view && !broken)
      broken = view;
  });
  if (!broken) return AddUnreached(pool, reached);
  const int rest = CountAll(pool) - reached.devices;
  if (rest > 0) AddUnusable(pool, broken.get(), rest, true);
}

void Tally::AddPool(const PoolState& pool, const std::function<bool(const Node&)>& usable) {
  if (pool.roaming) return AddRoaming(pool, usable);
  int serving = 0;
  const PoolView* broken = nullptr;  // one that the pod could use, where there is such a one
  bool reachable = false;
  for (const auto& [name, view] : pool.local_views) {
    if (!view) continue;
    const auto* found = snapshot_.nodes().Find(name);
    const bool is_usable = found && usable(**found);
    if (Serves(*view)) {
      serving += static_cast<int>(view->devices.size());
      AddView(*view, name, is_usable);
    } else if (broken == nullptr || (is_usable && !reachable)) {
      broken = view.get();
      reachable = is_usable;
    }
  }
  if (const int rest = CountAll(pool) - serving; rest > 0)
    AddUnusable(pool, broken, rest, broken == nullptr || reachable);
}

void Tally::AddNode(const NodeView& node) {
  for (const auto& pool : node.pools)
    if (Serves(*pool)) AddView(*pool, node.node->name, true);
}

}  // namespace

RequestReport Explain(const PodClaims& pod, uint32_t ask, const Snapshot& snapshot,
                      const std::function<bool(const Node&)>& usable, const Workspace* placed,
                      MatchCache& matches) {
  Tally tally(pod, ask, snapshot, placed, matches);
  snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) { tally.AddPool(*pool, usable); });
  return tally.Take();
}

int CountFreeFor(const PodClaims& pod, uint32_t ask, const NodeView& node, const Snapshot& snapshot,
                 const Workspace* placed, MatchCache& matches) {
  Tally tally(pod, ask, snapshot, placed, matches);
  tally.AddNode(node);
  return tally.Take().free;
}

}  // namespace fedra::dra
