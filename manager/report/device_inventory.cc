#include "manager/report/device_inventory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "dra/allocator/candidates.h"
#include "dra/allocator/counters.h"
#include "dra/judge/selector_advice.h"
#include "manager/report/attribute_text.h"

namespace fedra::report {
namespace {

using dra::PoolState;
using dra::PoolStatus;
using dra::PoolView;
using dra::Symbol;
using dra::ViewDevice;

// More different values than this are only counted.
constexpr size_t kMaxValues = 64;

// Of the newest generation: older slices are about to be replaced.
int CountPublished(const PoolState& pool) {
  int64_t newest = INT64_MIN;
  for (const auto& slice : pool.slices) newest = std::max(newest, slice->generation);
  int devices = 0;
  for (const auto& slice : pool.slices)
    if (slice->generation == newest) devices += static_cast<int>(slice->devices.size());
  return devices;
}

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
  void AddLocal(const PoolState& pool);
  void AddRoaming(const PoolState& pool);
  void AddView(const PoolView& view, const std::string& node, bool node_exists);
  void AddUnseen(const PoolState& pool, int devices, const std::string& problem);
  bool IsWanted(const ViewDevice& device);
  void AddClasses(NodeDevices& place, const ViewDevice& device, const DeviceCount& one);
  DeviceCount StateOf(const PoolView& view, size_t device, bool node_exists) const;
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
  std::vector<std::string> wanted;
  if (!filter.selector.empty()) {
    const auto compiled = selectors_.Get(filter.selector, features);
    if (!compiled->selector) {
      const std::string advice = compiled->advice.empty() ? "" : "\n" + compiled->advice;
      return Fail(ErrorCode::kInvalidArgument, compiled->error + advice);
    }
    wanted.push_back(filter.selector);
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
  std::vector<std::string> of_class;
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

DeviceCount Inventory::StateOf(const PoolView& view, size_t index, bool node_exists) const {
  static const dra::DeviceRequest tolerates_nothing;
  const ViewDevice& device = view.devices[index];
  DeviceCount one{.total = 1};
  const bool tainted =
      dra::BlockingTaint(device, tolerates_nothing, snapshot_.features()) != nullptr;
  one.tainted = tainted ? 1 : 0;
  if (device.use != nullptr && device.use->dedicated) {
    one.allocated = 1;
  } else if (node_exists && device.use != nullptr && device.use->shared) {
    one.shared = 1;
  } else if (!node_exists || !dra::HasCounters(view, index, nullptr, snapshot_.features())) {
    one.unusable = 1;
  } else if (!tainted) {
    one.free = 1;
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

void Inventory::AddView(const PoolView& view, const std::string& node, bool node_exists) {
  for (size_t i = 0; i < view.devices.size(); ++i) {
    const ViewDevice& device = view.devices[i];
    if (question_.nothing_matches || !IsWanted(device)) continue;
    NodeDevices& place = At(view.key, node);
    const DeviceCount one = StateOf(view, i, node_exists);
    place.count.Add(one);
    AddClasses(place, device, one);
    for (const auto& [name, value] : TextsOf(*device.device)) {
      auto& values = place.attributes[name];
      if (values.size() < kMaxValues) values.insert(value);
    }
    if (one.unusable > 0)
      place.problems.insert(node_exists ? "shared counters are used up" : "there is no such node");
  }
}

// Nothing but the number of devices is known of pools that cannot be used: no filter applies.
void Inventory::AddUnseen(const PoolState& pool, int devices, const std::string& problem) {
  if (devices <= 0 || question_.has_filter || question_.nothing_matches) return;
  NodeDevices& place = At(pool.key, "");
  const DeviceCount unusable{.total = devices, .unusable = devices};
  place.count.Add(unusable);
  place.classes[""].Add(unusable);
  place.problems.insert(problem);
}

std::string ProblemOf(const PoolView* view) {
  if (view == nullptr) return "no node reaches them";
  if (view->status == PoolStatus::kIncomplete) return "the pool is not completely published";
  return view->problem.empty() ? "the pool is invalid" : view->problem;
}

// The views of the nodes that own slices hold every device once.
void Inventory::AddLocal(const PoolState& pool) {
  int seen = 0;
  const PoolView* unusable = pool.elsewhere.get();
  for (const auto& [name, view] : pool.local_views) {
    if (view == nullptr) continue;
    if (view->status != PoolStatus::kReady) {
      unusable = view.get();
      continue;
    }
    seen += static_cast<int>(view->devices.size());
    AddView(*view, name.str(), snapshot_.nodes().Find(name) != nullptr);
  }
  AddUnseen(pool, CountPublished(pool) - seen, ProblemOf(unusable));
}

// Seen from the node that reaches most of it.
void Inventory::AddRoaming(const PoolState& pool) {
  const int devices = CountPublished(pool);
  std::shared_ptr<const PoolView> best;
  snapshot_.nodes().ForEach([&](const Symbol&, const auto& node) -> bool {
    auto view = dra::MakePoolView(pool, *node);
    if (view != nullptr && (best == nullptr || view->devices.size() > best->devices.size()))
      best = std::move(view);
    return best == nullptr || static_cast<int>(best->devices.size()) < devices;
  });
  const bool ready = best != nullptr && best->status == PoolStatus::kReady;
  if (ready) AddView(*best, "", true);
  const int seen = ready ? static_cast<int>(best->devices.size()) : 0;
  AddUnseen(pool, devices - seen, ready ? "no single node reaches them" : ProblemOf(best.get()));
}

void Inventory::AddPool(const PoolState& pool) {
  if (pool.roaming)
    AddRoaming(pool);
  else
    AddLocal(pool);
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
