#pragma once
//
// What allocated devices take of the node's own cpu, memory, ephemeral storage and huge pages
// (KEP-5517, alpha in 1.36 and 1.37). Counted as by kube-scheduler v1.36.3 in
// pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go:
//
// - It is looked at when the allocator has chosen devices (calculateAndCheckNodeAllocatable-
//   Resources). When the node has too little for them the node is out: no other devices are tried.
// - A mapping counts the multiplier per device, or the consumed amount of a capacity times the
//   multiplier (buildNodeAllocatableDRAInfo). A capacity that is not consumed does not count; for a
//   device that is allocated as a whole, which records no consumption, the attempt ends with an
//   error.
// - It adds to what the containers ask for; where the pod asks for the resource as a whole
//   (spec.resources), it must be covered by that (validatePodLevelRequestsCoverDRA).
// - A claim with such a device must be used by some container (getPodNodeAllocatableResource-
//   Footprint). That for extended resources never is.
// - On a node, one pod only uses such a claim (validateNodeAllocatableDRAClaimSharing). Of a claim
//   that was allocated before, nothing is added for the pod.
//
// The scheduler finds a device by the names of pool and device alone (getDeviceFromManager); here
// it is always the driver's own.
//
// The form of 1.37 (nodeAllocatableResources, the same file of v1.37.2) differs:
//
// - An overhead counts for each pod that uses the claim, allocated before or not, and once more for
//   each time that a container names it (addDRANodeAllocatableClaimResources of
//   k8s.io/component-helpers/resource v0.37.2). Containers need not use the claim.
// - A claim with a mapping is for one pod in all; one with overheads only is for any number
//   (validateNodeAllocatableDRAClaimSharing). Of one that was allocated before and that no pod has
//   reserved, the mapping counts.
//
// Limits of spec.resources are not compared with what devices take.
//
// Pure functions.

#include <optional>

#include "dra/allocator/allocator.h"
#include "dra/judge/node_fit.h"
#include "dra/judge/resolved_pod.h"
#include "dra/model/pod_demand.h"
#include "verdict/node_facts.h"

namespace fedra::dra {

// Fills in NodeAllocation::of_node of a kFit, or makes it a kError.
void AddNodeShare(const PodClaims& pod, const NodeView& view, NodeAllocation& found);

// What the devices of an allocated claim take of their node in the form of 1.37.
ClaimTake TakeOf(const Allocation& allocation, const Snapshot& snapshot);
// The same of a claim of an offer.
ClaimTake TakeOf(const NodeAllocation& found, const NodeView& view, uint32_t claim);

// What the pod holds of the node beyond PodDemand::requests.
Amounts BeyondRequests(const PodDemand& demand, const NodeShare& share);

// Why the pod cannot have these devices, whatever room the node has; null: it can.
std::optional<verdict::NodeRefusal> WhyShareIsRefused(const PodDemand& demand,
                                                      const ResolvedPod& resolved,
                                                      const PodVariant& variant,
                                                      const NodeShare& share);

// Whether the node has room for the pod with these devices. `used`: as for HasRoom().
NodeAnswer HasRoomForDevices(const Node& node, const PodDemand& demand, const NodeShare& share,
                             const Amounts* used);

}  // namespace fedra::dra
