#pragma once
//
// The workers that the manager's MultiKueueClusters name, each with the kubeconfig that it leads
// to: the daemon's and the commands'.
//
// A kubeconfig comes from the key `kubeconfig` of a Secret in Kueue's namespace, or from a file.
// ClusterProfiles (alpha in Kueue 0.19.2, off by default) need credential plugins of Kueue's own
// configuration, which no API shows: such a worker cannot be used. What is wrong with one is that
// worker's failure only.
//
// Thread rules: free functions; any thread. They block for `get_secret` and the disk.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "config/configuration.h"
#include "config/discovered.h"
#include "manager/tracking/multi_kueue_cluster.h"

namespace fedra {

// The Secret as JSON text, as Cluster::Get.
using GetSecret = std::function<Result<std::string>(const ObjectKey& secret)>;
using WorkerClusters = std::vector<std::shared_ptr<const tracking::MultiKueueCluster>>;

// In the order in which the MultiKueueClusters were created. `before`: what was found last. A
// Secret that cannot be read now, for another reason than that it is not there, leaves its worker
// as it was.
std::vector<config::DiscoveredWorker> ReadDiscovered(
    WorkerClusters clusters, const config::WorkersFrom& settings, WallTime now,
    const GetSecret& get_secret, const std::vector<config::DiscoveredWorker>& before);

}  // namespace fedra
