#pragma once
//
// Whether a pod may run on a node as far as the node itself goes: labels, affinity, taints, and
// room for its resources. What kube-scheduler's filters NodeUnschedulable, NodeAffinity,
// TaintToleration and NodeResourcesFit decide (1.36).
//
// Pure functions.

#include <map>
#include <optional>
#include <string>

#include "dra/model/pod_demand.h"

namespace fedra::dra {

enum class NodeRefusal : uint8_t { kNone, kUnschedulable, kLabels, kTaint, kResources };

struct NodeAnswer {
  NodeRefusal refusal = NodeRefusal::kNone;
  std::string
      what;  // the label or taint, for messages: "had untolerated taint gpu=true:NoSchedule"
  // For kResources: what the node has too little of.
  Text resource;
  Quantity asked, free, all;

  bool fits() const { return refusal == NodeRefusal::kNone; }
};

// Everything but resources: does not change while pods are placed.
NodeAnswer Admits(const Node& node, const NodeConstraints& constraints);

// `used`: what running pods and pods placed before hold, "pods" included; null: nothing. Resources
// named in `elsewhere` are provided by devices. Of several resources the first one that the node
// could never give is named, or else the first one that it cannot give now.
NodeAnswer HasRoom(const Node& node, const Amounts& requests, const Amounts* used,
                   const std::vector<Text>& elsewhere);
// Whether the node's device plugins have what is asked for at all, however much of it is free.
NodeAnswer HasPlugins(const Node& node, const Amounts& requests,
                      const std::vector<Text>& elsewhere);

}  // namespace fedra::dra
