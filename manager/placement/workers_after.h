#pragma once
//
// Which workers a decision leaves the workload on: for these its devices are reserved. Pure.

#include <set>
#include <span>

#include "manager/placement/action.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// Where copies of the workload are, or will be once the decision is carried out.
std::set<ClusterName> WorkersAfter(std::span<const ClusterView> clusters, const Decision& decision);

// The workers that it nominates anew.
std::set<ClusterName> NominatedBy(const Decision& decision);

}  // namespace fedra::placement
