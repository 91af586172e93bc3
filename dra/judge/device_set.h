#pragma once
//
// The devices of one cluster that could serve pods, whether they are free or not. Pods whose sets
// have one in common compete for it.
//
// Nodes, taints and constraints are left out: a set may be larger than what could be allocated, so
// that pods are taken to compete which do not, but never the other way round. Devices that share
// counters count as one.
//
// Thread rules: a DeviceSet is immutable; DeviceSets and OverlapMemory have one user at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/judge.h"

namespace fedra::dra {

class DeviceSet final {
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

// The sets of one cluster: equal wishes get the same set for as long as slices and classes stay.
class DeviceSets final {
 public:
  // Of all requests and alternatives of these pods, admin access left out. Null: they want none, or
  // have what they want. `caches.memory` is not used.
  std::shared_ptr<const DeviceSet> For(const std::string& ns, std::span<const PodDemand> demands,
                                       const Snapshot& snapshot, const JudgeCaches& caches);

 private:
  uint64_t slices_serial_ = 0;
  uint64_t classes_serial_ = 0;
  std::map<std::string, std::shared_ptr<const DeviceSet>> sets_;  // by what is wished for
};

// Remembers which sets overlap: equal questions are asked for every pair of waiting workloads.
class OverlapMemory final {
 public:
  bool Overlap(const DeviceSet& a, const DeviceSet& b);

 private:
  static constexpr size_t kMost = 65'536;
  std::map<std::pair<uint64_t, uint64_t>, bool> known_;  // by serials, the lesser first
};

}  // namespace fedra::dra
