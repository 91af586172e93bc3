#pragma once
//
// Placing pods of one workload on one cluster, for Judge() only: which claims they need, which
// nodes are left, what earlier pods took.
//
// Thread rules: one judgement, one thread. Lifetime: everything given at construction outlives it.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dra/judge.h"
#include "dra/node_fit.h"
#include "dra/reason.h"

namespace fedra::dra {

struct PodSetResult {
  PodSetReport report;
  Outcome outcome = Outcome::kYes;
  std::vector<int> alternatives;
  int headroom = 0;
  std::vector<Reason> reasons;
};

class Simulation final {
 public:
  Simulation(const std::string& ns, const Snapshot& snapshot, JudgeCaches caches,
             const JudgeOptions& options)
      : ns_(&ns),
        snapshot_(snapshot),
        caches_(caches),
        memory_(caches.memory ? *caches.memory : own_memory_),
        options_(options) {}

  PodSetResult Place(const PodDemand& demand);
  // Takes what these pods will take, as far as they fit.
  void Assume(const InFlightPods& pods);

 private:
  // Where a claim that many pods share can be used once it is allocated.
  struct Binding {
    std::vector<std::shared_ptr<const NodeSelector>> selectors;  // all must match
    Text node;                                                   // empty: no single node
  };
  // The claims of one pod on nodes that have the same plugin resources.
  struct Variant {
    std::vector<Text> from_devices;       // extended resources that devices provide
    std::unique_ptr<ClaimSpec> extended;  // the claim for them; null: none
    PodClaims pod;
    std::vector<size_t> shared;  // indices of claims in `pod` that other pods share
  };
  struct Run;  // one Place()

  bool ResolveClaims(Run& run);
  bool ResolveNamed(Run& run, const std::string& name);
  void CollectNodes(Run& run);
  bool Usable(const Run& run, const Text& name) const;
  // An allocated claim of the pod that cannot be used on the node; null: none.
  const ObjectKey* ClaimElsewhere(const Run& run, const Node& node) const;
  Variant& VariantFor(Run& run, const Node& node);
  Variant& VariantWith(Run& run, const std::vector<Text>& resources);
  bool CheckClasses(Run& run);
  bool CanEndWithError(const PodClaims& pod);
  bool ErrorsPossible(Run& run);
  bool FindErrors(Run& run);
  std::vector<bool> TooFew(Run& run);
  void PlacePods(Run& run);
  static void NoteNearest(Run& run, const Node& node, uint32_t devices);
  NodeAnswer RoomOn(const Run& run, const Node& node, const Variant& variant) const;
  bool CannotBind(const Run& run, const Variant& variant) const;
  bool PlaceOne(Run& run, const Node& node);
  static std::vector<PlannedDevice> NameDevices(const PodClaims& pod,
                                                const NodeAllocation& allocation,
                                                const NodeView& view);
  void Bind(Run& run, const Variant& variant, const NodeAllocation& allocation,
            const NodeView& view, const Node& node);
  void CountHeadroom(Run& run);

  // Whether new nodes could take the pods that did not fit (simulation_scale.cc).
  void TryToScale(Run& run);
  bool RestFits(const Variant& variant, const std::vector<ClaimSpec>& rest, const Node& node,
                int64_t pods);

  // Why not all pods fit (simulation_explain.cc).
  ReasonCode ErrorCodeOn(Run& run, const Node& node);
  void ExplainShortage(Run& run);
  void ExplainNodes(Run& run);
  RequestReport ReportOn(Run& run, const Variant& variant, uint32_t ask);
  // True: some request alone cannot be satisfied.
  bool ExplainRequests(Run& run, const Variant& variant);
  void ExplainTogether(Run& run, const Node& node, Variant& variant);
  bool FitsWith(const Node& node, const Variant& variant, const Relaxation& relaxation);
  std::string CounterShortage(const Node& node, const Variant& variant);
  static void Add(Run& run, Outcome outcome, ReasonCode code, std::string object,
                  std::string message);

  const std::string* ns_;  // of the pods that are being placed
  const Snapshot& snapshot_;
  JudgeCaches caches_;
  JudgeMemory own_memory_;
  JudgeMemory& memory_;
  const JudgeOptions& options_;
  // Taken by all pods placed so far.
  Workspace workspace_;
  std::map<Text, Amounts> placed_;  // node -> resources, "pods" included
  std::map<std::vector<std::pair<Text, Text>>, int64_t> added_nodes_;  // by labels, to scale
  std::map<ObjectKey, Binding> bindings_;  // named claims that got their allocation here
};

}  // namespace fedra::dra
