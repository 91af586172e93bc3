#pragma once
//
// What the pods placed so far in one simulation hold: devices, room on nodes, claims.
//
// Plain values of one simulation; only its Placer changes them.

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "dra/judge/node_fit.h"
#include "dra/judge/resolved_pod.h"
#include "dra/model/node_view.h"

namespace fedra::dra {

// Pods that share a claim are bound by the node that the first of them gets. A step is one call of
// Simulation::Assume() or Place().
struct SharedChoice {
  size_t step = 0;
  std::vector<ObjectKey> claims;  // that were allocated
  Symbol node;                    // of the pod that they were allocated for
};

struct PlacedPods {
  size_t turn = 0;  // another number for each pod that is tried
  Workspace workspace;
  // Resources, "pods" included.
  std::unordered_map<Symbol, Amounts, SymbolHash, SymbolEqual> on_node;
  std::map<Symbol, std::set<ObjectKey>> node_claims;             // as JudgeOptions::node_claims
  std::map<ObjectKey, std::shared_ptr<const Binding>> bindings;  // claims allocated here
  std::map<ObjectKey, size_t>
      consumers;                      // claims that pods share -> pods placed here that use them
  std::set<ObjectKey> group_claims;   // made for a PodGroup, which is their only consumer
  std::vector<SharedChoice> choices;  // in the order of the steps
  bool chose = false;                 // a node for some pod, among several
  bool chose_by_name = false;         // where scores may not have decided
  bool leaked = false;                // as NodeAllocation::leaked, of some pod
};

// Pods that use the claim: those that reserved it in the cluster, and those placed here.
size_t ConsumersOf(const ObjectKey& claim, const PlacedPods& placed, const Snapshot& snapshot);

// What pods placed on the node hold; null: there are none.
const Amounts* HeldOn(const PlacedPods& placed, const Node& node);

// What running pods hold there; null: there are none.
const Amounts* RunningOn(const JudgeOptions& options, const Node& node);

// Whether one more pod has room on the node. `held`: by pods placed there; may be null.
NodeAnswer RoomOn(const Node& node, const PodDemand& demand, const PodVariant& variant,
                  const Amounts* held, const JudgeOptions& options);

// The same with the devices that were found for it there; it need not be asked where RoomOn() says
// no.
NodeAnswer RoomWithDevices(const Node& node, const PodDemand& demand, const NodeShare& share,
                           const Amounts* held, const JudgeOptions& options);

// An allocated claim of the pod through which another pod holds resources of this node (or, in the
// form of 1.37, of any), so that no further pod may use it there; null: none.
const ObjectKey* ClaimOfAnotherPod(const Node& node, const std::vector<BoundClaim>& bound,
                                   const PlacedPods& placed, const JudgeOptions& options);

// Takes what one more pod of `demand` takes of `workspace` and of the room on its node.
void Occupy(const PodDemand& demand, const PodVariant& variant, const NodeAllocation& found,
            const NodeView& view, Workspace& workspace, Amounts& room);

}  // namespace fedra::dra
