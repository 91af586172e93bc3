#pragma once
//
// Which nodes a pod may use, apart from devices: selectors, taints, room.
//
// Thread rules: free functions on values; the caller holds the store's lock.

#include <map>
#include <string>

#include "tests/sim/actors/quantity.h"
#include "tests/sim/api/store.h"

namespace fedra::sim {

// A core/v1 NodeSelector; null: every node. Operators In, NotIn, Exists and DoesNotExist;
// matchFields know the name.
bool SelectsNode(const Json* node_selector, const Json& node);

// spec.nodeSelector, required node affinity, NoSchedule and NoExecute taints of the node.
bool AcceptsNode(const Json& pod_spec, const Json& node);

// A taint of a node or device: whether one of the tolerations covers it.
bool IsTolerated(const Json& taint, const Json& tolerations);

// What nodes have left, pods among it: allocatable minus what their running pods ask for. One pass
// over the pods, however many nodes are asked for.
class Rooms final {
 public:
  Rooms(const Store& store, const ResourceType& pods);
  Amounts On(const Json& node) const;

 private:
  std::map<std::string, Amounts, std::less<>> taken_;  // by the name of the node
};

}  // namespace fedra::sim
