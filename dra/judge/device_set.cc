#include "dra/judge/device_set.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "dra/judge/extended.h"

namespace fedra::dra {
namespace {

// The devices of a class that one request selects.
struct DeviceSelection {
  std::shared_ptr<const DeviceClass> device_class;
  std::vector<Symbol> selectors;  // of the request
};

class SelectionCollector final {
 public:
  SelectionCollector(const std::string& ns, const Snapshot& snapshot)
      : ns_(ns), snapshot_(snapshot) {}

  void Add(const PodDemand& demand) {
    for (const ClaimReference& reference : demand.claims) {
      if (reference.claim_name.empty()) {
        if (const auto* found = snapshot_.templates().Find({ns_, reference.template_name}))
          Add(*(*found)->spec);
      } else if (const auto* found = snapshot_.claims().Find({ns_, reference.claim_name})) {
        if (!(*found)->allocation) Add((*found)->spec);
      }
    }
    for (const auto& [resource, amount] : demand.requests) {
      if (!IsExtendedResource(resource.view())) continue;
      if (auto device_class = ClassOfResource(snapshot_, resource))
        selections_.push_back({std::move(device_class), {}});
    }
  }

  const std::vector<DeviceSelection>& selections() const { return selections_; }

  // Equal keys, equal selections.
  std::string Key() const {
    std::vector<std::string> parts;
    for (const DeviceSelection& selection : selections_) {
      std::string part = selection.device_class->name.str();
      for (const Symbol& selector : selection.selectors)
        part.append(1, '\0').append(selector.view());
      parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    std::string key;
    for (const std::string& part : parts) key += std::to_string(part.size()) + ':' + part;
    return key;
  }

 private:
  void Add(const ClaimSpec& spec) {
    for (const ClaimRequest& request : spec.requests) {
      if (request.exactly) Add(*request.exactly);
      for (const DeviceRequest& alternative : request.first_available) Add(alternative);
    }
  }
  void Add(const DeviceRequest& request) {
    if (request.admin_access.value_or(false)) return;
    if (const auto* found = snapshot_.classes().Find(request.device_class))
      selections_.push_back({*found, request.selectors});
  }

  const std::string& ns_;
  const Snapshot& snapshot_;
  std::vector<DeviceSelection> selections_;
};

// One number for each device, and one for each set of counters that a device draws from.
void AddNumbers(const Slice& slice, const Device& device, std::vector<uint64_t>& numbers) {
  const std::hash<std::string> hash;
  const std::string pool = slice.pool.ToString();
  if (device.consumes == nullptr || device.consumes->empty()) {
    numbers.push_back(hash(pool + '\0' + device.name.str()));
    return;
  }
  for (const CounterSet& consumed : *device.consumes)
    numbers.push_back(hash(pool + '\0' + '\0' + consumed.name.str()));
}

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

DeviceSet::DeviceSet(std::vector<uint64_t> devices)
    : devices_(std::move(devices)), serial_(NextSerial()) {
  std::sort(devices_.begin(), devices_.end());
  devices_.erase(std::unique(devices_.begin(), devices_.end()), devices_.end());
}

bool DeviceSet::Overlaps(const DeviceSet& other) const {
  auto a = devices_.begin();
  auto b = other.devices_.begin();
  while (a != devices_.end() && b != other.devices_.end()) {
    if (*a == *b) return true;
    if (*a < *b)
      ++a;
    else
      ++b;
  }
  return false;
}

std::string SelectionKeyOf(const std::string& ns, std::span<const PodDemand> demands,
                           const Snapshot& snapshot) {
  SelectionCollector collector(ns, snapshot);
  for (const PodDemand& demand : demands) collector.Add(demand);
  return collector.Key();
}

std::shared_ptr<const DeviceSet> MakeDeviceSet(const std::string& ns,
                                               std::span<const PodDemand> demands,
                                               const Snapshot& snapshot,
                                               const JudgeCaches& caches) {
  SelectionCollector collector(ns, snapshot);
  for (const PodDemand& demand : demands) collector.Add(demand);
  std::vector<uint64_t> numbers;
  for (const DeviceSelection& selection : collector.selections()) {
    const ConjunctionId match =
        caches.matches.Intern(selection.device_class->selectors, selection.selectors,
                              snapshot.features(), caches.selectors);
    snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) {
      for (const auto& slice : pool->slices) {
        const std::span<const uint8_t> codes = caches.matches.Match(match, *slice);
        for (size_t i = 0; i < codes.size(); ++i)
          if (codes[i] == kMatches) AddNumbers(*slice, slice->devices[i], numbers);
      }
    });
  }
  return std::make_shared<const DeviceSet>(std::move(numbers));
}

std::shared_ptr<const DeviceSet> DeviceSets::Find(const std::string& selection_key,
                                                  const Snapshot& snapshot) const {
  if (slices_serial_ != snapshot.slices_serial() || classes_serial_ != snapshot.classes_serial())
    return nullptr;
  const auto found = sets_.find(selection_key);
  return found == sets_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const DeviceSet> DeviceSets::Keep(const std::string& selection_key,
                                                  const Snapshot& snapshot,
                                                  std::shared_ptr<const DeviceSet> set) {
  if (slices_serial_ != snapshot.slices_serial() || classes_serial_ != snapshot.classes_serial()) {
    sets_.clear();
    slices_serial_ = snapshot.slices_serial();
    classes_serial_ = snapshot.classes_serial();
  }
  if (sets_.size() >= next_sweep_ && !sets_.contains(selection_key)) {
    std::erase_if(sets_, [](const auto& entry) { return entry.second.expired(); });
    next_sweep_ = std::max(few_, 2 * sets_.size());
  }
  std::weak_ptr<const DeviceSet>& known = sets_[selection_key];
  if (auto there = known.lock()) return there;
  known = set;
  return set;
}

bool OverlapMemory::Overlap(const DeviceSet& a, const DeviceSet& b) {
  if (&a == &b) return !a.empty();
  const Pair key(std::min(a.serial(), b.serial()), std::max(a.serial(), b.serial()));
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (known_.size() >= kMost) MakeRoom();
  for (const DeviceSet* set : {&a, &b}) sets_.try_emplace(set->serial(), set->weak_from_this());
  return known_[key] = a.Overlaps(b);
}

void OverlapMemory::MakeRoom() {
  std::erase_if(sets_, [](const auto& entry) { return entry.second.expired(); });
  std::erase_if(known_, [&](const auto& entry) {
    return !sets_.contains(entry.first.first) || !sets_.contains(entry.first.second);
  });
  if (known_.size() <= kMost / 4 * 3) return;
  bool goes = false;
  std::erase_if(known_, [&](const auto&) { return goes = !goes; });
}

}  // namespace fedra::dra
