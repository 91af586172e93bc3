#pragma once
//
// The state of one Simulation::Place(). Shared by simulation*.cc only.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/simulation.h"

namespace fedra::dra {

// More consumers cannot be recorded in a claim (ResourceClaimReservedForMaxSize).
inline constexpr size_t kMaxConsumers = 256;
// From so many feasible nodes on, kube-scheduler does not look at the others.
inline constexpr size_t kNodesAlwaysExamined = 100;
// kube-scheduler 1.36.3 took 5 to 7 seconds for 2^22 steps of its search and 21 for 2^24 on a slow
// machine (dra.md 11.9), and gives up after 10. Between the two bounds that depends on the machine.
inline constexpr int64_t kManyDevices = 22;
inline constexpr double kMaybeSlow = uint64_t{1} << kManyDevices;
inline constexpr double kSurelySlow = uint64_t{1} << 26;

// In which order nodes are asked to take a pod: as kube-scheduler prefers them for the alternatives
// that the pod would get there (Score of its plugin DynamicResources, 1.36.3), then by name. Its
// other scores are left out. Nothing that a node gave up comes back, so an answer is never outdated
// for the better.
struct NodeOrder {
  std::vector<bool> too_few;  // by position: certainly not; empty: not known
  // Nodes where the next pod would lead to an error (Run::pods_to_error) are left for last.
  bool spares = true;
  size_t next = 0;                         // from this position on, nodes have not been asked
  std::set<std::pair<int, size_t>> asked;  // those that fit: score negated, position
};

// The scheduler's attempt to place a pod ends with it.
struct AttemptError {
  const Node* node = nullptr;
  int pods = 0;  // that must be put on the node before it comes to that
  std::string text;
  ErrorCause cause = ErrorCause::kAllocator;
};

struct Simulation::Run {
  const PodDemand& demand;
  PodSetResult result;
  size_t pod_set = 0;  // its index in the judgement
  size_t step = 0;
  bool wants_device_resources = false;  // devices may provide extended resources of the pod
  // Claims of the pod without an allocation, in the order of the pod's entries.
  std::vector<UnallocatedClaim> claims;
  std::vector<bool> is_shared;  // parallel: a named claim
  std::vector<size_t> entries;  // parallel: where it stands in demand.claims
  // Allocated claims of the pod: the nodes must suit all of them.
  std::vector<BoundClaim> bound;
  std::vector<std::unique_ptr<Binding>> known_bindings;  // of claims allocated in the snapshot
  // Nodes that the pod may use, resources left out; and why not the others.
  std::vector<const Node*> nodes;
  std::map<std::string, int> refused;  // what -> nodes
  // Of the refused: where an allocated claim cannot be used. The scheduler examines them all the
  // same, and an error there ends the pod's attempt as anywhere else.
  std::vector<const Node*> elsewhere;
  // Nodes where the pod fits but cannot be bound (AllocatorFeatures::plugin_beside_claims_fails).
  int unbindable = 0;
  // Of the pod's allocated claims: one to which no pod can be bound, where a node would fit.
  const ObjectKey* unbindable_claim = nullptr;
  // Of the pod's claims: one that has as many consumers as can be recorded.
  const ObjectKey* full_claim = nullptr;
  NodeOrder order;
  std::vector<std::pair<const Node*, std::string>> no_room;  // and what is short
  // Where the scheduler's search takes longest, at least so many steps; null: nowhere long.
  const Node* slowest = nullptr;
  double slowest_steps = 0;
  size_t feasible = 0;  // nodes, when all were looked at
  std::map<std::vector<Text>, Variant> variants;
  bool errors_possible = false;
  std::optional<AttemptError> error;  // nothing more is placed
  // Had the pods so far gone to other nodes, it might not come to that.
  bool by_chance = false;
  // Where it comes to an error when so many more of the pods are put on the node, but not of all.
  std::map<const Node*, int> pods_to_error;
  std::optional<AttemptError> error_ahead;  // the first of those
  const Node* unfinished = nullptr;         // where the search was when the budget was spent
  uint32_t deepest = 0;
  const Node* nearest = nullptr;
};

// What one more pod gets; the worst counts.
void Merge(std::vector<ChosenAlternative>& alternatives, const ChosenAlternative& more);

// "3 nodeSelector pool=a100, 1 taint gpu=yes:NoSchedule"
std::string Join(const std::map<std::string, int>& counts);

}  // namespace fedra::dra
