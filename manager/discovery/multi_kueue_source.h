#pragma once
//
// Workers that the manager's MultiKueueClusters make (workersFrom.multiKueueClusters).
//
// A kubeconfig comes from the key `kubeconfig` of a Secret in Kueue's namespace, or from a file; a
// clusterProfileRef names a ClusterProfile of that namespace (cluster_profile_source.h).
//
// Thread rules: as of discovered_access.h.

#include <vector>

#include "manager/discovery/discovered_access.h"

namespace fedra::discovery {

// In the order in which the MultiKueueClusters were created, under their names.
std::vector<config::DiscoveredWorker> FromMultiKueueClusters(const DiscoveryView& view);

}  // namespace fedra::discovery
