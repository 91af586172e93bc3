#pragma once
//
// All that the pods of a job ask for, and those assumed before them: which devices are alike for
// it, and whether it matters in which order a node's pools and slices come.
//
// Pure but for the caches. Thread rules: one judgement, one thread. Lifetime: everything it is
// given outlives it.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dra/judge/attempt.h"
#include "dra/judge/judge_memory.h"
#include "dra/model/pool_order.h"

namespace fedra::dra {

class JobAsks final {
 public:
  // `snapshot`: with the claims that the pods name not allocated, so that what they ask for counts.
  JobAsks(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
          JudgeMemory& memory);
  JobAsks(const JobAsks&) = delete;
  JobAsks& operator=(const JobAsks&) = delete;

  // Where it may make a difference in which order pools and slices come. Not on a node on which
  // each request has to do with one slice only, or with devices of one kind only: there every order
  // is a renaming of devices that are alike, now and after whatever the pods take. Kinds are
  // numbered by these nodes, whatever the caches know: so the orders that are tried are the same.
  std::set<Symbol> NodesByOrder(const Snapshot& snapshot);

  // What can still matter. `held`: devices that pods placed before hold; null: as if no device was
  // in use.
  DeviceKinds KindsOn(const NodeView& view, const Workspace* held);

 private:
  void Add(const std::string& ns, const PodDemand& demand);
  bool MayDependOnOrder(const Snapshot& snapshot) const;
  bool DependsOnOrder(const NodeView& view);
  void NumberKinds(const Snapshot& snapshot, const std::set<Symbol>& nodes);
  bool IsOfOneKind(const Snapshot& snapshot) const;
  uint64_t ValueId(const AttributeValue* value);
  uint64_t CodeOf(const AskKey& ask, const ViewDevice& device) const;
  uint32_t KindOf(const NodeView& view, size_t pool, const ViewDevice& device, bool in_use);

  SearchCost cost_;  // nothing is searched here
  const SimulationContext context_;
  std::vector<AskKey> asks_;  // each once
  bool has_admin_ = false;
  bool sees_use_ = false;  // devices in use matter, too
  // What makes devices alike, its first numbers what each ask makes of them -> the kind.
  std::map<std::vector<uint64_t>, uint32_t> kinds_;
  std::vector<const std::vector<uint64_t>*> of_kind_;  // the key, by kind
  std::vector<const AttributeValue*> values_;
};

}  // namespace fedra::dra
