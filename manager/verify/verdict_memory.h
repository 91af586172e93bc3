#pragma once
//
// Verdicts on devices, for as long as nothing changes that they were made from. Every workload that
// waits is asked about again whenever its worker changes in anything; most of what it is asked has
// been answered.
//
// When the table has doubled, entries whose demands have expired are evicted: their workloads are
// gone or were read again. So the verdicts on all waiting workloads stay, however many there are.
//
// Thread rules: not thread-safe.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "dra/judge/judge.h"
#include "dra/model/pod_demand.h"
#include "manager/tracking/pod_set.h"

namespace fedra::verify {

using PodGroups = std::map<ObjectKey, dra::PodGroup>;

class VerdictMemory final {
 public:
  // The pods that other workloads are assumed to bring: which list of them, without keeping it
  // alive. A caller that publishes an equal list twice publishes the same one.
  struct Assumed {
    std::weak_ptr<const void> list;

    bool operator==(const Assumed& other) const;
  };
  // What a list of assumed pods names; shared by all verdicts that were made from it.
  struct AssumedObjects {
    std::shared_ptr<const std::vector<std::weak_ptr<const void>>> objects;

    bool operator==(const AssumedObjects& other) const;
  };

  // All that a verdict is made from beside the demands; names what is large without keeping it
  // alive.
  struct Basis {
    uint64_t devices = 0;  // dra::Snapshot::use_serial()
    uint64_t nodes = 0;    // nodes_serial()
    uint64_t classes = 0;  // classes_serial()
    uint64_t used = 0;     // serial of what pods take of the nodes
    // The templates and claims that the demands name, in their order; null: not there. Then the
    // manager's templates that the worker would get with them and the assumed pods.
    std::vector<std::shared_ptr<const void>> objects;
    PodGroups pod_groups;
    Assumed assumed;
    AssumedObjects assumed_objects;

    bool operator==(const Basis&) const = default;
  };

  // `few`: below so many nothing is forgotten.
  explicit VerdictMemory(size_t few = 1024) : few_(few), next_sweep_(few) {}

  // Nothing: not asked on this basis, or forgotten.
  std::optional<verdict::Verdict> Find(const tracking::Demands& demands, const Basis& basis) const;
  void Keep(const tracking::Demands& demands, Basis basis, verdict::Verdict verdict);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Basis basis;
    verdict::Verdict verdict;
  };

  void Sweep();

  const size_t few_;
  size_t next_sweep_;
  std::unordered_map<tracking::Demands, Entry> entries_;
};

}  // namespace fedra::verify
