#pragma once
//
// What placing the pods of one pod set came to, and everything about it that an explanation needs.
// Plain values: what explains gets a const one.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/judge.h"
#include "dra/judge/node_fit.h"
#include "dra/judge/resolved_pod.h"

namespace fedra::dra {

// More consumers cannot be recorded in a claim (ResourceClaimReservedForMaxSize).
inline constexpr size_t kMaxConsumers = 256;
// From so many feasible nodes on, kube-scheduler does not look at the others.
inline constexpr size_t kNodesAlwaysExamined = 100;

// Kubernetes 1.36.3 took 5 to 7 seconds for 2^22 steps of its search and 21 for 2^24 on a slow
// machine, and gives up after 10 (docs/agreement.md). Between the two bounds that depends on the
// machine; no machine takes less for the upper one.
inline constexpr int64_t kManyDevices = 22;
inline constexpr double kMaybeSlow = uint64_t{1} << kManyDevices;
inline constexpr double kSurelySlow = uint64_t{1} << 26;

// The steps that kube-scheduler's search takes in vain, as far as they matter: where it only leaves
// the node out, that changes nothing on one where the pod does not fit.
inline double StepsInVainOf(const NodeAllocation& found, const AllocatorFeatures& features) {
  const bool matters = features.slow_search_ends_attempt || found.fit == Fit::kFit;
  return matters ? found.scheduler_steps : 0;
}

// The pods to place: of one pod set, or of a dispatched workload that is assumed. Both outlive the
// simulation's step.
struct PodsToPlace {
  const std::string& ns;
  const PodDemand& demand;
};

// What one pod would get on one node.
struct Offer {
  size_t position;  // of the node, in ResolvedPod::nodes
  const Node* node;
  const PodVariant* variant;
  NodeView view;
  NodeAllocation allocation;
  int score = 0;  // of its devices: NodeOrder
};

// The scheduler's attempt to place a pod ends with it.
struct AttemptError {
  const Node* node = nullptr;
  int pods = 0;  // that must be put on the node before it comes to that
  std::string text;
  ErrorCause cause = ErrorCause::kAllocator;
  std::optional<SelectorFailure> selector;  // as in NodeAllocation
};

// Where the scheduler's attempts end with an error, or take too long.
struct ErrorForecast {
  bool possible = false;              // else nodes are not examined for errors beforehand
  std::optional<AttemptError> error;  // nothing more is placed
  // Had the pods so far gone to other nodes, it might not come to that.
  bool by_chance = false;
  bool leaked = false;  // `error` is of a search that may have found too much (NodeAllocation)
  // Some node takes the pod by such a search: the scheduler's may go on there, and come to an
  // error.
  bool may_go_on = false;
  // Where it comes to an error when so many more of the pods are put on the node, but not of all.
  std::map<const Node*, int> pods_to_error;
  std::optional<AttemptError> ahead;  // the first of those
  // Where the scheduler's search takes longest, at least so many steps; null: nowhere long.
  const Node* slowest = nullptr;
  double slowest_steps = 0;
  size_t feasible = 0;  // nodes, when all were looked at
  // When all were looked at: the first node that there was no time for; null: none.
  const Node* given_up = nullptr;
  const Node* unfinished = nullptr;  // where the search was when the budget was spent

  // Whether one more pod leads to an error on the node.
  bool LeadsToError(const Node& node) const {
    const auto at = pods_to_error.find(&node);
    return at != pods_to_error.end() && at->second <= 1;
  }
};

// Whether no machine comes to an end of the slowest search in time, and the pod is lost by that. A
// node that is only left out may be one of several that take it.
inline bool IsSurelyTooSlow(const ErrorForecast& errors, const AllocatorFeatures& features) {
  return features.slow_search_ends_attempt && errors.slowest_steps >= kSurelySlow;
}

// The node that held the most devices for a pod that did not fit.
struct NearestNode {
  const Node* node = nullptr;
  uint32_t devices = 0;

  void Note(const Node& candidate, uint32_t held) {
    if (node == nullptr || held > devices) node = &candidate;
    devices = std::max(devices, held);
  }
};

// What was found out about the nodes, void as soon as the pod's claims are other ones.
struct NodeFindings {
  // Nodes that certainly have too few devices, by position; empty: not known.
  std::vector<bool> too_few;
  std::vector<std::pair<const Node*, NodeAnswer>> no_room;  // nodes, and what each is short of
  // Why nodes are out for what devices take of them (node_share.h) -> nodes.
  std::map<verdict::NodeRefusal, int> refused;
  // Nodes where the pod fits but cannot be bound (AllocatorFeatures::plugin_beside_claims_fails).
  int unbindable = 0;
};

struct PlacementTrace {
  PodsToPlace pods;
  ResolvedPod resolved;  // for the pod after the last that was placed
  PodSetReport report;   // up to `alternatives`; the rest is for explanations
  NodeFindings found;
  ErrorForecast errors;
  bool leaked = false;             // as NodeAllocation::leaked, of these pods or some before them
  std::vector<std::string> gated;  // GatedFieldsFor() the pods
  bool confuses_counters = false;  // ConfusesCounters() for them
  // Of the pod's allocated claims: one to which no pod can be bound, where a node would fit.
  std::optional<ObjectKey> unbindable_claim;
  std::optional<ObjectKey> full_claim;  // one that has as many consumers as can be recorded
  NearestNode nearest;
  // When too few nodes are left for the pods: the claims that leave so few.
  std::vector<ObjectKey> contested;
  // A claim whose allocation the scheduler would take back, because the pods fitted nowhere.
  std::optional<ObjectKey> idle_claim;
  // The same, because pods could not be bound to `unbindable_claim` and left no room to each other.
  std::optional<ObjectKey> claim_taken_back_later;
};

// What one more pod gets; the worst counts.
void Merge(std::vector<ChosenAlternative>& alternatives, const ChosenAlternative& more);

}  // namespace fedra::dra
