#pragma once
//
// What the next pod of a pod set needs, looked up on one cluster: its claims, those that are
// allocated already, and the nodes that are left. Made again whenever a claim that pods share is
// allocated.
//
// Thread rules: one simulation, one thread.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dra/allocator/pod_claims.h"
#include "dra/judge/simulation_context.h"
#include "dra/model/pod_demand.h"
#include "verdict/reason.h"

namespace fedra::dra {

struct PlacedPods;

// Where a claim that many pods share can be used once it is allocated.
struct Binding {
  std::vector<std::shared_ptr<const NodeSelector>> selectors;  // all must match
  Symbol node;                                                 // empty: no single node
  // Allocated in the cluster:
  bool idle = false;        // and reserved for no pod
  bool unbindable = false;  // and no further pod can be bound to it
  std::string failure;      // why its devices could not be bound: it can be used nowhere
  // Of these, devices are for nodes that declare DRAOptionalNodeOperations.
  bool needs_operations = false;
  int devices_score = 0;   // of its alternatives, as NodeOrder counts them
  ClaimTake of_node = {};  // what further pods take of its node, in the form of 1.37
};
using BoundClaim = std::pair<ObjectKey, std::shared_ptr<const Binding>>;

bool CannotBeUsed(const Binding& binding, const Node& node);
// The first of the claims that cannot be used on the node; null: none.
const BoundClaim* ClaimElsewhere(const std::vector<BoundClaim>& bound, const Node& node);

// The claims of one pod on nodes that have the same plugin resources.
struct PodVariant {
  std::vector<Symbol> from_devices;     // extended resources that devices provide
  std::unique_ptr<ClaimSpec> extended;  // the claim for them; null: none
  PodClaims pod;
  std::vector<size_t> shared;  // indices of claims in `pod` that other pods share
};

// The variants of one pod, each prepared when a node first asks for it; asking changes no answer.
class PodVariants final {
 public:
  // A claim without an allocation.
  struct Claim {
    UnallocatedClaim claim;
    bool shared = false;  // other pods may use it
  };
  // `ns`: of the pod. Everything must outlive this.
  PodVariants(const SimulationContext& context, const std::string& ns, const PodDemand& demand,
              std::vector<Claim> claims);

  const PodVariant& For(const Node& node) const;
  // Where no device provides an extended resource.
  const PodVariant& Plain() const { return With({}); }
  // Devices may provide extended resources of the pod, so that nodes differ.
  bool wants_device_resources() const { return wants_device_resources_; }

 private:
  const PodVariant& With(const std::vector<Symbol>& resources) const;

  const SimulationContext* context_;
  const std::string* ns_;
  const PodDemand* demand_;
  std::vector<Claim> claims_;
  bool wants_device_resources_;
  mutable std::map<std::vector<Symbol>, PodVariant> variants_;
};

// The index of the node of this name in nodes that are ascending by name.
std::optional<size_t> PositionOf(const Symbol& name, const std::vector<const Node*>& nodes);

struct ResolvedPod {
  PodVariants variants;
  std::vector<size_t> entries;    // of the claims without an allocation: index in PodDemand::claims
  std::vector<BoundClaim> bound;  // allocated claims: the nodes must suit all of them
  Amounts of_bound;  // what their devices take of the node for this pod, in the form of 1.37
  std::vector<ObjectKey> group_claims;   // of those: made for a PodGroup, their only consumer
  std::vector<verdict::Reason> missing;  // objects that do not exist; then no node is looked at
  std::vector<const Node*> nodes;        // that the pod may use, resources left out; by name
  std::map<verdict::NodeRefusal, int> refused;  // why not the others -> nodes
  // Of the refused: where an allocated claim cannot be used. The scheduler examines them all the
  // same, and an error there ends the pod's attempt as anywhere else.
  std::vector<const Node*> elsewhere;

  // Its claims on each of these nodes, those of equal nodes once; of no node, as
  // PodVariants::Plain.
  std::set<const PodClaims*> EveryVariant() const;
};

// `placed`: claims that pods allocated here are bound.
ResolvedPod Resolve(const SimulationContext& context, const std::string& ns,
                    const PodDemand& demand, const PlacedPods& placed);

}  // namespace fedra::dra
