#pragma once
//
// Workers that the manager's ClusterProfiles make by themselves (workersFrom.clusterProfiles), and
// the access to those that MultiKueueClusters name.
//
// A ClusterProfile says where its cluster is, and which providers give credentials for it; the
// configuration has the plugin of a provider (workersFrom.accessProviders).
//
// Thread rules: as of discovered_access.h.

#include <string>
#include <vector>

#include "manager/discovery/discovered_access.h"

namespace fedra::discovery {

// "ClusterProfile fleet/gpu-east".
std::string ProfileName(const ObjectKey& profile);

// By the ClusterProfile, for the worker of this name.
config::ClusterAccess AccessByProfile(const DiscoveryView& view, const std::string& worker,
                                      const ObjectKey& profile);

// In the order in which they were created, under their names: those that the selector wants, and no
// MultiKueueCluster names.
std::vector<config::DiscoveredWorker> FromClusterProfiles(const DiscoveryView& view);

// Why FromClusterProfiles() may lack some; empty: it has all.
std::string WhyProfilesUnknown(const DiscoveryView& view);

}  // namespace fedra::discovery
