#pragma once
//
// Which nodes a NodeSelector selects, as k8s.io/component-helpers nodeaffinity 1.36 decides it.
// Pure functions.

#include <string>

#include "base/result.h"
#include "dra/model/model.h"

namespace fedra::dra {

// True if any term matches. A selector that the scheduler cannot parse (unknown operator, wrong
// number of values, a name that is no label key) is an error whatever the node.
Result<bool> Matches(const NodeSelector& selector, const Node& node);

// The same with the errors of a term only mattering when no other term matches, as for pods' node
// affinity.
Result<bool> MatchesLazily(const NodeSelector& selector, const Node& node);

// nodeName, allNodes, nodeSelector, in this order of precedence.
Result<bool> Reaches(const NodeReach& reach, const Node& node);

}  // namespace fedra::dra
