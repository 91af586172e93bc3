#pragma once
//
// All that the pods of a job ask for, and those assumed before them: which devices are alike for
// it, and whether it matters in which order a node's pools and slices come.
//
// Pure but for the caches. Thread rules: one judgement, one thread. Lifetime: everything it is
// given outlives it.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dra/judge/attempt.h"
#include "dra/judge/resolved_pod.h"
#include "dra/model/pool_order.h"

namespace fedra::dra {

class JobAsks final {
 public:
  // `snapshot`: with the claims that the pods name not allocated, so that what they ask for counts.
  JobAsks(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
          JudgeMemory& memory);
  JobAsks(const JobAsks&) = delete;
  JobAsks& operator=(const JobAsks&) = delete;

  // Quick, and false in most clusters: each request finds its devices in one slice of a node, or
  // all devices that the job may take are alike.
  bool MayDependOnOrder(const Snapshot& snapshot) const;
  // Whether on this node it may make a difference in which order its pools and slices come. Not:
  // each request has to do with one slice only, or with devices of one kind only. Then every order
  // is a renaming of devices that are alike, now and after whatever the pods take.
  bool DependsOnOrder(const NodeView& view);

  // What can still matter. `held`: devices that pods placed before hold; null: as if no device was
  // in use.
  DeviceKinds KindsOn(const NodeView& view, const Workspace* held);

 private:
  void Add(const std::string& ns, const PodDemand& demand);
  bool IsOfOneKind(const Snapshot& snapshot) const;
  uint64_t ValueId(const AttributeValue* value);
  uint64_t CodeOf(const SubRequest& ask, const ViewDevice& device) const;
  uint32_t KindOf(const NodeView& view, size_t pool, const ViewDevice& device, bool in_use);

  struct Ask {
    const PodClaims* pod;
    const SubRequest* ask;
  };

  SearchCost cost_;  // nothing is searched here
  const SimulationContext context_;
  std::vector<ResolvedPod> pods_;
  std::vector<Ask> asks_;
  bool has_admin_ = false;
  bool sees_use_ = false;  // devices in use matter, too
  // What makes devices alike, its first numbers what each ask makes of them -> the kind.
  std::map<std::vector<uint64_t>, uint32_t> kinds_;
  std::vector<const std::vector<uint64_t>*> of_kind_;  // the key, by kind
  std::vector<const AttributeValue*> values_;
};

}  // namespace fedra::dra
