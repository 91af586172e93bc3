#pragma once
//
// The state of one Simulation::Place(). Shared by simulation*.cc only.

#include <map>
#include <vector>

#include "dra/simulation.h"

namespace fedra::dra {

struct Simulation::Run {
  const PodDemand& demand;
  PodSetResult result;
  bool wants_device_resources = false;  // devices may provide extended resources of the pod
  // Claims of the pod without an allocation, in the order of the pod's entries.
  std::vector<UnallocatedClaim> claims;
  std::vector<bool> is_shared;  // parallel: a named claim
  // Allocated claims of the pod: the nodes must suit all of them.
  std::vector<std::pair<ObjectKey, const Binding*>> bound;
  std::vector<std::unique_ptr<Binding>> known_bindings;  // of claims allocated in the snapshot
  // Nodes that the pod may use, resources left out; and why not the others.
  std::vector<const Node*> nodes;
  std::map<std::string, int> refused;  // what -> nodes
  // Of the refused: where an allocated claim cannot be used. The scheduler examines them all the
  // same, and an error there ends the pod's attempt as anywhere else.
  std::vector<const Node*> elsewhere;
  // Nodes where the pod fits but cannot be bound (AllocatorFeatures::plugin_beside_claims_fails).
  int unbindable = 0;
  std::map<std::string, int> no_room;  // what -> nodes, at the last attempt
  std::map<std::vector<Text>, Variant> variants;
  std::string error;  // an allocation that ended with one: nothing more is placed
  const Node* error_node = nullptr;
  bool budget = false;  // some node could not be searched to the end
  uint32_t deepest = 0;
  const Node* nearest = nullptr;
};

}  // namespace fedra::dra
