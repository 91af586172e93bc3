#pragma once
//
// The devices of one cluster that could serve pods, whether they are free or not. Pods whose sets
// have one in common compete for it.
//
// Nodes, taints and constraints are left out: a set may be larger than what could be allocated, so
// that pods are taken to compete which do not, but never the other way round. Devices that share
// counters count as one.
//
// Thread rules: a DeviceSet is immutable, the free functions are pure but for the caches;
// DeviceSets and OverlapMemory have one user at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dra/judge/judge.h"

namespace fedra::dra {

class DeviceSet final : public std::enable_shared_from_this<DeviceSet> {
 public:
  // Numbers that stand for devices or for what devices share; in any order, repeated or not.
  explicit DeviceSet(std::vector<uint64_t> devices);

  bool Overlaps(const DeviceSet& other) const;
  bool empty() const { return devices_.empty(); }
  size_t size() const { return devices_.size(); }
  uint64_t serial() const { return serial_; }  // unique in the process

 private:
  std::vector<uint64_t> devices_;  // ascending, each once
  uint64_t serial_;
};

// Which devices these pods select: by all requests and alternatives, admin access left out. Equal
// keys, equal selections. Empty: they ask for no devices, or have what they ask for.
std::string SelectionKeyOf(const std::string& ns, std::span<const PodDemand> demands,
                           const Snapshot& snapshot);
// The devices that they select. `caches.memory` is not used.
std::shared_ptr<const DeviceSet> MakeDeviceSet(const std::string& ns,
                                               std::span<const PodDemand> demands,
                                               const Snapshot& snapshot, const JudgeCaches& caches);

// The sets of one cluster: equal selections get the same set for as long as slices and classes stay
// and it is referenced.
class DeviceSets final {
 public:
  // `few`: below so many nothing is forgotten.
  explicit DeviceSets(size_t few = 1024) : few_(few), next_sweep_(few) {}

  // Null: there is none for this SelectionKeyOf() this snapshot.
  std::shared_ptr<const DeviceSet> Find(const std::string& selection_key,
                                        const Snapshot& snapshot) const;
  // The one to use: this one, or an equal one that was there already.
  std::shared_ptr<const DeviceSet> Keep(const std::string& selection_key, const Snapshot& snapshot,
                                        std::shared_ptr<const DeviceSet> set);
  size_t size() const { return sets_.size(); }

 private:
  const size_t few_;
  size_t next_sweep_;
  uint64_t slices_serial_ = 0;
  uint64_t classes_serial_ = 0;
  // By SelectionKeyOf(), which holds the selectors of users. Sets without references are dropped
  // when their number has doubled.
  std::unordered_map<std::string, std::weak_ptr<const DeviceSet>> sets_;
};

// Remembers which sets overlap: equal questions are asked for every pair of waiting workloads. When
// it is full, pairs of sets that are gone are forgotten; if those are few, half of all pairs, so
// that the other half still answers.
class OverlapMemory final {
 public:
  bool Overlap(const DeviceSet& a, const DeviceSet& b);
  size_t size() const { return known_.size(); }

 private:
  static constexpr size_t kMost = 65'536;
  using Pair = std::pair<uint64_t, uint64_t>;  // serials, the lesser first

  void MakeRoom();

  std::map<Pair, bool> known_;
  std::unordered_map<uint64_t, std::weak_ptr<const DeviceSet>> sets_;  // of those pairs, by serial
};

}  // namespace fedra::dra
