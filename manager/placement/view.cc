#include "manager/placement/view.h"

namespace fedra::placement {

using tracking::Ownership;

bool HasOurs(const ClusterView& cluster) {
  return (cluster.clone != nullptr && tracking::IsOurs(cluster.clone_is)) ||
         (cluster.job != nullptr && tracking::IsOurs(cluster.job_is));
}

bool HasOwnClone(const ClusterView& cluster) {
  return cluster.clone != nullptr && cluster.clone_is == Ownership::kOurs;
}

bool HasOwnJob(const ClusterView& cluster) {
  return cluster.job != nullptr && cluster.job_is == Ownership::kOurs;
}

}  // namespace fedra::placement
