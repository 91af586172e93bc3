#pragma once
//
// Extended resources ("nvidia.com/gpu: 2") that a DeviceClass provides: per node the scheduler
// turns them into one more claim of the pod, unless the node has the resource from a device plugin.
//
// Source: extendeddynamicresources.go and extendedresourcecache of Kubernetes 1.36.3. Pure
// functions.

#include <memory>
#include <string_view>
#include <vector>

#include "dra/model/pod_demand.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

// "deviceclass.resource.kubernetes.io/<class>" names a class without any mapping.
inline constexpr std::string_view kImplicitResourcePrefix = "deviceclass.resource.kubernetes.io/";

// Whether devices may provide the resource: IsExtendedResourceName of k8s.io/kubernetes
// pkg/apis/core/v1/helper, and the implicit names.
bool IsExtendedResource(std::string_view name);

// The class behind a resource name; null: none. Of several classes with the same explicit name the
// newest counts, then the first by name. The implicit name always leads to its class, although a
// scheduler that learned of it after the winner has no such entry (docs/agreement.md).
std::shared_ptr<const DeviceClass> ClassOfResource(const Snapshot& snapshot,
                                                   const Symbol& resource);

// The resources of the pod that devices must provide on this node.
std::vector<Symbol> ResourcesFromDevices(const PodDemand& demand, const Snapshot& snapshot,
                                         const Node& node);

// Some resource of the pod has a class behind it, whatever provides it on a node.
bool WantsDeviceResources(const PodDemand& demand, const Snapshot& snapshot);

// The claim for these resources: containers that run long ask one by one, init containers ask for
// what they need beyond those that start later, once for all of them. Request names as the
// scheduler gives them, in their order as text.
ClaimSpec ClaimForResources(const PodDemand& demand, const Snapshot& snapshot,
                            const std::vector<Symbol>& resources);

}  // namespace fedra::dra
