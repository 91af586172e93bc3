#pragma once
//
// The access to a cluster that a ClusterProfile of the manager describes (Cluster Inventory API):
// where it is, from the API object, and who we are there, from our own configuration. The form is
// that of a kubeconfig's cluster, and its author is as little trusted as that of a foreign
// kubeconfig (foreign_kubeconfig.h): no file, no plain http, no insecure-skip-tls-verify, no odd
// host.
//
// Source: BuildConfigFromCP of sigs.k8s.io/cluster-inventory-api v0.1.3 (pkg/access/config.go) as
// Kueue 0.19.2 calls it. That leaves out tls-server-name and insecure-skip-tls-verify; here the
// first is used and the second refused. Arguments and environment that a profile wants to add to
// the plugin's (clusterprofiles.multicluster.x-k8s.io/exec/additional-...) are ignored, as by
// Kueue.
//
// Errors: as of kubeconfig.h, without places; kRefused for what may not be used, kMissing for what
// is not there.
// Thread rules: free functions; any thread. They look whether the plugin is there.

#include <string>
#include <vector>

#include "config/configuration.h"
#include "config/kubeconfig.h"

namespace fedra::config {

// An entry of status.accessProviders, or of the deprecated status.credentialProviders.
struct OfferedAccess {
  std::string provider;  // its name
  std::string cluster;   // JSON text: a kubeconfig's cluster; empty: none is written
  std::string path;      // "status.accessProviders[0].cluster"
  bool operator==(const OfferedAccess&) const = default;
};

// By the first of `providers` that is offered, in the order of the configuration. `source` names
// the object in problems: "ClusterProfile fleet/gpu-east".
ClusterAccess ReadProfileAccess(const std::vector<OfferedAccess>& offered,
                                const std::vector<AccessProvider>& providers,
                                const std::string& source, WallTime now);

}  // namespace fedra::config
