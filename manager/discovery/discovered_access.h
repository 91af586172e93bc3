#pragma once
//
// The workers that objects of the manager make, each with its access: the daemon's and the
// commands'. Where they come from is one file each: multi_kueue_source.h, cluster_profile_source.h.
// What is wrong with one worker is that worker's failure only.
//
// Thread rules: free functions; any thread. They block for `get_secret` and the disk.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "config/configuration.h"
#include "config/discovered.h"
#include "manager/tracking/cluster_profile.h"
#include "manager/tracking/multi_kueue_cluster.h"

namespace fedra::discovery {

// The Secret as JSON text, as Cluster::Get.
using GetSecret = std::function<Result<std::string>(const ObjectKey& secret)>;

// Objects of one kind on the manager.
template <class T>
struct KnownObjects {
  std::vector<std::shared_ptr<const T>> list;
  std::string unknown;  // why the list is not known; empty: it is complete
};
using KnownClusters = KnownObjects<tracking::MultiKueueCluster>;
using KnownProfiles = KnownObjects<tracking::ClusterProfile>;

struct DiscoveryObjects {
  KnownClusters clusters;                         // none, where they make no workers
  std::map<std::string, KnownProfiles> profiles;  // by namespace, those that are read
};

// What the sources read. Lifetime: for the length of a call.
struct DiscoveryView {
  const DiscoveryObjects& objects;
  const config::WorkersFrom& settings;
  WallTime now;  // for certificate dates
  const GetSecret& get_secret;
  // What was found last: what cannot be read now, for another reason than that it is not there,
  // leaves its worker as it was.
  const std::vector<config::DiscoveredWorker>& before;

  // Null: it was not known, or had no access from there.
  const config::ClusterAccess* Before(const std::string& worker, const std::string& source) const;
};

struct DiscoveredWorkers {
  std::vector<config::DiscoveredWorker> workers;
  // Why there may be more of them: a list has not been seen since the start. Empty: `workers` are
  // all there are.
  std::string unknown;
};

// Those of MultiKueueClusters first, each kind in the order in which they were created.
DiscoveredWorkers ReadDiscovered(const DiscoveryView& view);

}  // namespace fedra::discovery
