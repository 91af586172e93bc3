#pragma once
//
// Whether new nodes of declared scalable pools could take the pods that do not fit now.
//
// Nothing is known of such a node but its labels and how many devices of which classes it brings.
// So devices are counted, no more: selectors of requests and constraints over new devices are
// taken to hold, and cpu and memory to suffice. That is why the answer is MayScale and never Yes.
//
// Pure but for the caches and the cost of the context.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/explanation.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// New nodes that the pods so far would need, by their labels.
using NodeLabels = std::vector<std::pair<Symbol, Symbol>>;
using AddedNodes = std::map<NodeLabels, int64_t>;

struct Scaling {
  NodeLabels labels;        // of the new nodes
  verdict::NewNodes nodes;  // that could take the rest
  // Of the pods on new nodes, by claims of PodDemand.
  std::vector<ChosenAlternative> alternatives;
  Workspace workspace;  // with what these pods take of devices that exist
};

// Absent: what is missing is something that no new node brings. `explanation`: why the pods of
// `trace` do not fit.
std::optional<Scaling> FindScaling(const SimulationContext& context, const PlacementTrace& trace,
                                   const PlacedPods& placed, const AddedNodes& added,
                                   const Explanation& explanation);

}  // namespace fedra::dra
