#include "manager/report/device_inventory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "dra/allocator/match.h"
#include "dra/judge/selector_advice.h"
#include "manager/report/attribute_text.h"
#include "manager/report/device_walk.h"

namespace fedra::report {
namespace {

using dra::PoolState;
using dra::PoolView;
using dra::Symbol;
using dra::ViewDevice;

// More different values than this are only counted.
constexpr size_t kMaxValues = 64;

// What the person asked for, and all classes, compiled.
struct Question {
  dra::ConjunctionId filter = 0;
  bool has_filter = false;
  bool nothing_matches = false;  // the class does not exist
  std::vector<std::string> known_classes;
  std::vector<std::pair<std::string, dra::ConjunctionId>> classes;
};

class Inventory final {
 public:
  explicit Inventory(const dra::Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<void> Ask(const DeviceFilter& filter);
  void AddPool(const PoolState& pool);
  DeviceInventory Take();

 private:
  void AddSight(const PoolSight& sight);
  void AddUnseen(const PoolState& pool, const UnseenDevices& unseen);
  bool IsWanted(const ViewDevice& device);
  void AddClasses(NodeDevices& place, const ViewDevice& device, const DeviceCount& one);
  NodeDevices& At(const dra::PoolKey& key, const std::string& node);
  void AddCordoned();

  const dra::Snapshot& snapshot_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_;
  Question question_;
  std::map<std::tuple<std::string, std::string, std::string>, NodeDevices> nodes_;
  // A selector's error, on how many devices, and what it is on the last of them.
  struct Failing {
    int devices = 0;
    dra::SelectorFailure last;
  };
  std::map<std::string, Failing> errors_;
  int looked_at_ = 0;
  int failing_ = 0;
  std::vector<std::string> notes_;
};

Result<void> Inventory::Ask(const DeviceFilter& filter) {
  const dra::AllocatorFeatures& features = snapshot_.features();
  std::vector<Symbol> wanted;
  if (!filter.selector.empty()) {
    const auto compiled = selectors_.Get(wanted.emplace_back(filter.selector), features);
    if (!compiled->selector) {
      const std::string advice = compiled->advice.empty() ? "" : "\n" + compiled->advice;
      return Fail(ErrorCode::kInvalidArgument, compiled->error + advice);
    }
  }
  snapshot_.classes().ForEach([&](const Symbol& name, const auto& device_class) {
    const auto& is_cel = device_class->selector_is_cel;
    if (std::find(is_cel.begin(), is_cel.end(), false) != is_cel.end()) {
      notes_.push_back(
          fmt::format("DeviceClass {} has a selector of an unknown kind", name.view()));
    } else {
      question_.classes.emplace_back(
          name.str(), matches_.Intern(device_class->selectors, {}, features, selectors_));
    }
  });
  std::vector<Symbol> of_class;
  if (!filter.device_class.empty()) {
    const auto* found = snapshot_.classes().Find(Symbol(filter.device_class));
    question_.nothing_matches = found == nullptr;
    if (found == nullptr) {
      notes_.push_back(fmt::format("DeviceClass {} does not exist there", filter.device_class));
      snapshot_.classes().ForEach([&](const dra::Symbol& name, const auto&) {
        question_.known_classes.push_back(name.str());
      });
    } else {
      of_class = (*found)->selectors;
    }
    std::erase_if(question_.classes,
                  [&](const auto& known) { return known.first != filter.device_class; });
  }
  question_.has_filter = !of_class.empty() || !wanted.empty();
  question_.filter = matches_.Intern(of_class, wanted, features, selectors_);
  return {};
}

NodeDevices& Inventory::At(const dra::PoolKey& key, const std::string& node) {
  NodeDevices& place = nodes_[{key.driver.str(), key.pool.str(), node}];
  place.driver = key.driver.str();
  place.pool = key.pool.str();
  place.node = node;
  return place;
}

bool Inventory::IsWanted(const ViewDevice& device) {
  if (!question_.has_filter) return true;
  ++looked_at_;
  const uint8_t code = matches_.Match(question_.filter, *device.slice)[device.index];
  if (code == dra::kSelectorFails) {
    ++failing_;
    const auto failure = matches_.FailureOf(question_.filter, *device.slice, device.index);
    Failing& known = errors_[matches_.Selector(question_.filter, failure.selector).expression +
                             ": " + failure.error];
    ++known.devices;
    known.last = failure;
  }
  return code == dra::kMatches;
}

DeviceCount CountOf(const DeviceNow& now) {
  DeviceCount one{.total = 1, .tainted = now.is_tainted ? 1 : 0};
  switch (now.condition) {
    case DeviceCondition::kFree:
      one.free = 1;
      break;
    case DeviceCondition::kAllocated:
      one.allocated = 1;
      break;
    case DeviceCondition::kShared:
      one.shared = 1;
      break;
    case DeviceCondition::kUnusable:
      one.unusable = 1;
      break;
    case DeviceCondition::kTainted:
      break;
  }
  return one;
}

void Inventory::AddClasses(NodeDevices& place, const ViewDevice& device, const DeviceCount& one) {
  bool any = false;
  for (const auto& [name, conjunction] : question_.classes) {
    if (matches_.Match(conjunction, *device.slice)[device.index] != dra::kMatches) continue;
    place.classes[name].Add(one);
    any = true;
  }
  if (!any) place.classes[""].Add(one);
}

void Inventory::AddSight(const PoolSight& sight) {
  const PoolView& view = *sight.view;
  for (size_t i = 0; i < view.devices.size(); ++i) {
    const ViewDevice& device = view.devices[i];
    if (question_.nothing_matches || !IsWanted(device)) continue;
    NodeDevices& place = At(view.key, sight.node);
    const DeviceCount one = CountOf(NowOf(sight, i, snapshot_.features()));
    place.count.Add(one);
    AddClasses(place, device, one);
    for (const auto& [name, value] : TextsOf(*device.device)) {
      auto& values = place.attributes[name];
      if (values.size() < kMaxValues) values.insert(value);
    }
    if (one.unusable > 0)
      place.problems.insert(sight.node_exists ? "shared counters are used up"
                                              : "there is no such node");
  }
}

// Nothing but the number of devices is known of pools that cannot be used: no filter applies.
void Inventory::AddUnseen(const PoolState& pool, const UnseenDevices& unseen) {
  if (unseen.devices.empty() || question_.has_filter || question_.nothing_matches) return;
  NodeDevices& place = At(pool.key, "");
  const int devices = static_cast<int>(unseen.devices.size());
  const DeviceCount unusable{.total = devices, .unusable = devices};
  place.count.Add(unusable);
  place.classes[""].Add(unusable);
  place.problems.insert(unseen.problem);
}

void Inventory::AddPool(const PoolState& pool) {
  const PoolWalk walk = WalkPool(snapshot_, pool);
  for (const PoolSight& sight : walk.seen) AddSight(sight);
  AddUnseen(pool, walk.unseen);
}

// Their free devices are free, and yet no new pod gets one.
void Inventory::AddCordoned() {
  for (const auto& [key, place] : nodes_) {
    const auto* node = snapshot_.nodes().Find(dra::Symbol(place.node));
    if (place.node.empty() || node == nullptr || !(*node)->unschedulable || place.count.free == 0)
      continue;
    notes_.push_back(fmt::format("node {} is unschedulable (cordoned): no new pod gets {} there",
                                 place.node, Counted(place.count.free, "free device")));
  }
}

DeviceInventory Inventory::Take() {
  DeviceInventory inventory;
  AddCordoned();
  for (auto& [key, place] : nodes_) inventory.nodes.push_back(std::move(place));
  for (const auto& [error, failure] : errors_) {
    notes_.push_back(fmt::format("on {} the selector is an error: {}{}",
                                 Counted(failure.devices, "device"), error,
                                 dra::AdviceBehind(failure.last, snapshot_)));
  }
  if (snapshot_.pools().empty()) notes_.emplace_back("no devices are published there");
  inventory.notes = std::move(notes_);
  inventory.class_missing = question_.nothing_matches;
  inventory.known_classes = std::move(question_.known_classes);
  std::sort(inventory.known_classes.begin(), inventory.known_classes.end());
  inventory.looked_at = looked_at_;
  inventory.failing = failing_;
  return inventory;
}

}  // namespace

Result<DeviceInventory> TakeInventory(const dra::Snapshot& snapshot, const DeviceFilter& filter) {
  Inventory inventory(snapshot);
  FEDRA_RETURN_IF_ERROR(inventory.Ask(filter));
  snapshot.pools().ForEach(
      [&](const dra::PoolKey&, const auto& pool) { inventory.AddPool(*pool); });
  return inventory.Take();
}

Result<std::vector<WorkerDevices>> CountDevices(const std::vector<DeviceSource>& sources,
                                                const DeviceFilter& filter) {
  std::vector<WorkerDevices> workers;
  for (const DeviceSource& source : sources) {
    WorkerDevices& devices = workers.emplace_back();
    devices.worker = source.worker;
    devices.problem = source.problem;
    if (source.problem.empty()) {
      FEDRA_ASSIGN_OR_RETURN(devices.inventory, TakeInventory(*source.snapshot, filter));
    }
  }
  return workers;
}

}  // namespace fedra::report
