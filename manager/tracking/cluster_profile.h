#pragma once
//
// ClusterProfile of the manager: a cluster as its cluster manager describes it. Plain values.
// Source: multicluster.x-k8s.io/v1alpha1 of the Cluster Inventory API v0.1.3,
// apis/v1alpha1/clusterprofile_types.go. It holds no credentials.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/label_selector.h"
#include "base/result.h"
#include "base/types.h"

namespace fedra::tracking {

struct ClusterProfile {
  // A way to reach the cluster: an entry of status.accessProviders.
  struct Access {
    std::string provider;  // its name
    std::string cluster;   // JSON text, not looked at: a kubeconfig's cluster; empty: none
    std::string path;      // "status.accessProviders[0].cluster"
    bool operator==(const Access&) const = default;
  };
  ObjectKey key;
  WallTime created{};
  LabelSelector::Labels labels;
  // The deprecated status.credentialProviders stand behind the others, where no other has the name.
  std::vector<Access> access;

  // Properties and conditions, which change often, are not part of it.
  bool operator==(const ClusterProfile&) const = default;
};

Result<ClusterProfile> ParseClusterProfile(const nlohmann::json& object);

}  // namespace fedra::tracking
