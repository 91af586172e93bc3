#pragma once
//
// Placing pods of one workload on one cluster, for Judge() only: which claims they need, which
// nodes are left, what earlier pods took.
//
// Thread rules: one judgement, one thread. Lifetime: everything given at construction outlives it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dra/judge/judge.h"
#include "dra/judge/node_fit.h"
#include "dra/reason.h"

namespace fedra::dra {

struct PodSetResult {
  PodSetReport report;
  Outcome outcome = Outcome::kYes;
  int headroom = 0;
  std::vector<Reason> reasons;
  // When too few nodes are left for the pods: the claims that leave so few.
  std::vector<ObjectKey> contested;
};

// Pods that share a claim are bound by the node that the first of them gets. A step is one call of
// Simulation::Assume() or Place().
struct SharedChoice {
  size_t step = 0;
  std::vector<ObjectKey> claims;  // that were allocated
  Text node;                      // of the pod that they were allocated for
};

// How a simulation goes.
struct Route {
  // Nodes that a step's claims for many pods are not allocated on, by step; those beyond: none.
  std::vector<std::set<Text>> avoided;
  bool explain = true;  // why pods do not fit, and what is left when all do
};

// What a judgement has spent on searching.
struct SearchCost {
  uint64_t steps = 0;
  uint64_t explaining = 0;  // to find out what stands in the way
};

// The same question about the cluster with every device free; the same answer whenever asked.
using AskFreeCluster = std::function<const Judgement&()>;

class Simulation final {
 public:
  // `free_cluster`: whether waiting could help; null: shortages are told without it.
  Simulation(const std::string& ns, const Snapshot& snapshot, JudgeCaches caches,
             const JudgeOptions& options, SearchCost& cost, const AskFreeCluster* free_cluster,
             const Route& route)
      : ns_(&ns),
        snapshot_(snapshot),
        caches_(caches),
        memory_(caches.memory ? *caches.memory : own_memory_),
        options_(options),
        cost_(cost),
        free_cluster_(free_cluster),
        route_(route) {}

  PodSetResult Place(const PodDemand& demand);
  // Takes what these pods will take, as far as they fit.
  void Assume(const InFlightPods& pods);
  // A claim whose allocation the scheduler would take back, because pods fitted nowhere: all
  // answers are about the cluster before that.
  const std::optional<ObjectKey>& idle_claim() const { return idle_claim_; }
  // In the order of the steps.
  const std::vector<SharedChoice>& choices() const { return choices_; }
  int in_flight_fitting() const { return in_flight_fitting_; }

 private:
  // Where a claim that many pods share can be used once it is allocated.
  struct Binding {
    std::vector<std::shared_ptr<const NodeSelector>> selectors;  // all must match
    Text node;                                                   // empty: no single node
    // Allocated in the cluster:
    bool idle = false;        // and reserved for nobody
    bool unbindable = false;  // and no further pod can be bound to it
    std::string failure;      // why its devices could not be bound: it is of no use anywhere
  };
  using BoundClaim = std::pair<ObjectKey, const Binding*>;
  // The claims of one pod on nodes that have the same plugin resources.
  struct Variant {
    std::vector<Text> from_devices;       // extended resources that devices provide
    std::unique_ptr<ClaimSpec> extended;  // the claim for them; null: none
    PodClaims pod;
    std::vector<size_t> shared;  // indices of claims in `pod` that other pods share
  };
  // What one pod would get on one node.
  struct Offer {
    const Node* node;
    Variant* variant;
    NodeView view;
    NodeAllocation allocation;
    int score = 0;  // of its alternatives, as kube-scheduler gives it
  };
  struct Run;  // one Place()

  bool ResolveClaims(Run& run);
  bool ResolveNamed(Run& run, const std::string& name);
  bool Exists(const std::string& claim) const;
  bool ResolveTemplate(Run& run, const ClaimReference& reference);
  void CollectNodes(Run& run);
  static std::optional<size_t> PositionOf(const Run& run, const Text& name);
  // An allocated claim of the pod that cannot be used on the node; null: none.
  const BoundClaim* ClaimElsewhere(const Run& run, const Node& node) const;
  Variant& VariantFor(Run& run, const Node& node);
  Variant& VariantWith(Run& run, const std::vector<Text>& resources);
  bool CheckClasses(Run& run);
  // Where attempts end with an error (simulation_errors.cc).
  bool CanEndWithError(const PodClaims& pod);
  bool CanBeSlow(const PodClaims& pod);
  bool ErrorsPossible(Run& run);
  static void NoteError(Run& run, const Node& node, const NodeAllocation& found);
  static void NoteSlowness(Run& run, const Node& node, const NodeAllocation& found);
  void ExamineNodes(Run& run, bool ahead);
  void LookAhead(Run& run, const Offer& first);
  void FindErrors(Run& run);
  bool FailsAnyway(Run& run);
  bool TakesRoaming(const Offer& offer) const;
  void FindNewErrors(Run& run, bool binds);
  // Where the pods go (simulation_place.cc).
  std::vector<bool> TooFew(Run& run);
  void PlacePods(Run& run);
  bool Ends(const Run& run) const;
  std::optional<Offer> Choose(Run& run);
  std::optional<Offer> FirstGood(Run& run);
  bool IsLeftOut(const Run& run, size_t position) const;
  int BestScore(Run& run);
  std::optional<Offer> OfferOn(Run& run, const Node& node);
  bool TakesPod(Run& run, const Variant& variant) const;
  static void NoteAlternatives(Run& run, const Offer& offer);
  void Occupy(const Run& run, const Node& node, const Variant& variant, const NodeAllocation& found,
              const NodeView& view);
  void Take(Run& run, const Offer& offer);
  size_t ConsumersOf(const ObjectKey& claim) const;
  void NoteContested(Run& run) const;
  static void NoteNearest(Run& run, const Node& node, uint32_t devices);
  NodeAnswer RoomOn(const Run& run, const Node& node, const Variant& variant) const;
  bool CannotBind(const Run& run, const Variant& variant) const;
  bool CannotBeUsed(const Binding& binding, const Node& node) const;
  void FindIdleClaim(Run& run);
  // Allocate(), paid from what this judgement has left to search.
  NodeAllocation Find(const PodClaims& pod, const NodeView& view, const Workspace& taken);
  bool BudgetIsSpent() const { return cost_.steps >= options_.limits.max_steps; }
  static std::vector<PlannedDevice> NameDevices(const PodClaims& pod,
                                                const NodeAllocation& allocation,
                                                const NodeView& view);
  void Bind(Run& run, const Offer& offer);
  void CountHeadroom(Run& run);

  // Whether new nodes could take the pods that did not fit (simulation_scale.cc).
  void TryToScale(Run& run);
  bool RestFits(const Variant& variant, const std::vector<ClaimSpec>& rest, const Node& node,
                int64_t pods);

  // Why not all pods fit (simulation_explain.cc, simulation_requests.cc).
  static void ExplainError(Run& run);
  static void ExplainErrorAhead(Run& run);
  void ExplainShortage(Run& run);
  void ExplainNodes(Run& run);
  RequestReport ReportOn(Run& run, const Variant& variant, uint32_t ask);
  // That waiting brings too little for `wish` (null: for all requests together), in words; absent:
  // it may bring enough.
  std::optional<std::string> Hopeless(const Run& run, const RequestReport* wish) const;
  static int64_t Need(const Run& run, const Ask& ask, const RequestReport& report, bool shared);
  ReasonCode CodeOf(const Run& run, const RequestReport& report, int64_t need) const;
  std::string Shortfall(const Run& run, const RequestReport& report, int64_t need) const;
  std::string DescribeAlternatives(const Run& run, const Ask& ask,
                                   std::span<const RequestReport> reports) const;
  void Refuse(Run& run, const Ask& ask, std::span<const RequestReport> reports, bool shared);
  // True: some request alone cannot be satisfied.
  bool ExplainRequests(Run& run, const Variant& variant);
  void ExplainTogether(Run& run, const Node& node, Variant& variant);
  bool FitsWith(const Node& node, const Variant& variant, const Relaxation& relaxation);
  // What the node is short of (simulation_shortage.cc).
  std::string CounterShortages(const Node& node, const Variant& variant);
  std::string CapacityShortages(const Node& node, const Variant& variant);
  std::string CountsOn(const Node& node, const Variant& variant);
  void ExplainBudget(Run& run) const;
  void ExplainSlowSearch(Run& run) const;
  void ExplainUnbindable(Run& run) const;
  bool ExplainRoom(Run& run);
  static void Add(Run& run, Outcome outcome, ReasonCode code, std::string object,
                  std::string message);

  const std::string* ns_;  // of the pods that are being placed
  const Snapshot& snapshot_;
  JudgeCaches caches_;
  JudgeMemory own_memory_;
  JudgeMemory& memory_;
  const JudgeOptions& options_;
  SearchCost& cost_;
  const AskFreeCluster* free_cluster_;
  size_t pod_sets_ = 0;  // placed so far, or begun
  const Route& route_;
  size_t steps_ = 0;  // so far
  std::vector<SharedChoice> choices_;
  int in_flight_fitting_ = 0;
  bool chose_ = false;  // a node for some pod, among several
  // Taken by all pods placed so far.
  Workspace workspace_;
  std::map<Text, Amounts> placed_;  // node -> resources, "pods" included
  std::map<std::vector<std::pair<Text, Text>>, int64_t> added_nodes_;  // by labels, to scale
  std::map<ObjectKey, Binding> bindings_;  // named claims that got their allocation here
  std::map<ObjectKey, size_t> reserved_;   // named claims -> pods placed here that use them
  std::set<ObjectKey> group_claims_;       // made for a PodGroup, which is their only consumer
  std::optional<ObjectKey> idle_claim_;
};

}  // namespace fedra::dra
