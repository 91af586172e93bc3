#include "manager/discovery/discovered_access.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "manager/discovery/cluster_profile_source.h"
#include "manager/discovery/multi_kueue_source.h"

namespace fedra::discovery {

using config::DiscoveredWorker;

const config::ClusterAccess* DiscoveryView::Before(const std::string& worker,
                                                   const std::string& source) const {
  const auto found = std::find_if(before.begin(), before.end(), [&](const DiscoveredWorker& one) {
    // Of another object it may have been given up on purpose.
    return one.name == worker && one.source == source && one.access.has_value();
  });
  return found == before.end() ? nullptr : &found->access;
}

DiscoveredWorkers ReadDiscovered(const DiscoveryView& view) {
  DiscoveredWorkers found;
  found.workers = FromMultiKueueClusters(view);
  std::vector<DiscoveredWorker> more = FromClusterProfiles(view);
  std::move(more.begin(), more.end(), std::back_inserter(found.workers));
  found.unknown = view.objects.clusters.unknown;
  if (found.unknown.empty()) found.unknown = WhyProfilesUnknown(view);
  return found;
}

}  // namespace fedra::discovery
