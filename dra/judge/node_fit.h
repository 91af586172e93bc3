#pragma once
//
// Whether a pod may run on a node as far as the node itself goes: labels, affinity, taints, and
// room for its resources. What kube-scheduler's filters NodeUnschedulable, NodeAffinity,
// TaintToleration and NodeResourcesFit decide (1.36).
//
// Pure functions.

#include <optional>

#include "dra/model/pod_demand.h"
#include "verdict/node_facts.h"

namespace fedra::dra {

// What a node has too little of; no resource: it has enough.
struct NodeAnswer {
  Symbol resource;
  Quantity asked, free, all;

  bool fits() const { return resource.empty(); }
};

// What keeps the pod from the node apart from resources: does not change while pods are placed.
// Nothing: it may run there.
std::optional<verdict::NodeRefusal> Refuses(const Node& node, const NodeConstraints& constraints);

// Taints that keep only pods away that have another node to go to (PreferNoSchedule), as far as the
// pod does not tolerate them. What the scores of TaintToleration count.
int UntoleratedTaints(const Node& node, const std::vector<Toleration>& tolerations);

// `used`: what running pods and pods placed before hold, "pods" included; null: nothing. Resources
// named in `elsewhere` are provided by devices. Of several resources the first one that the node
// could never give is named, or else the first one that it cannot give now.
NodeAnswer HasRoom(const Node& node, const Amounts& requests, const Amounts* used,
                   const std::vector<Symbol>& elsewhere);
// Whether the ports are free, of which a node has one each. What kube-scheduler's filter NodePorts
// decides (1.36).
NodeAnswer HasPorts(const std::vector<Symbol>& ports, const Amounts* used);
// Whether the node's device plugins have what is asked for at all, however much of it is free.
NodeAnswer HasPlugins(const Node& node, const Amounts& requests,
                      const std::vector<Symbol>& elsewhere);

}  // namespace fedra::dra
