#include "manager/placement/workers_after.h"

namespace fedra::placement {

std::set<ClusterName> WorkersAfter(std::span<const ClusterView> clusters,
                                   const Decision& decision) {
  std::set<ClusterName> workers;
  for (const ClusterView& cluster : clusters) {
    if (HasOurs(cluster)) workers.insert(cluster.name);
  }
  for (const Action& action : decision.actions) {
    if (const auto* remove = std::get_if<DeleteRemote>(&action)) workers.erase(remove->cluster);
    if (const auto* keep = std::get_if<KeepRemote>(&action)) workers.erase(keep->cluster);
    if (const auto* nominate = std::get_if<Nominate>(&action))
      workers.insert(nominate->clusters.begin(), nominate->clusters.end());
    if (const auto* create = std::get_if<CreateClone>(&action)) workers.insert(create->cluster);
  }
  return workers;
}

std::set<ClusterName> NominatedBy(const Decision& decision) {
  std::set<ClusterName> workers;
  for (const Action& action : decision.actions) {
    if (const auto* nominate = std::get_if<Nominate>(&action))
      workers.insert(nominate->clusters.begin(), nominate->clusters.end());
  }
  return workers;
}

}  // namespace fedra::placement
