#include "manager/reconcile/copy_places.h"

#include <utility>

namespace fedra::reconcile {

void CopyPlaces::Add(const ObjectKey& workload, const ClusterName& worker) {
  places_.With([&](auto& places) { places[workload].insert(worker); });
}

std::set<ClusterName> CopyPlaces::Of(const ObjectKey& workload) const {
  return places_.With([&](const auto& places) {
    const auto found = places.find(workload);
    return found == places.end() ? std::set<ClusterName>() : found->second;
  });
}

std::set<ClusterName> CopyPlaces::Take(const ObjectKey& workload) {
  return places_.With([&](auto& places) {
    const auto found = places.find(workload);
    if (found == places.end()) return std::set<ClusterName>();
    std::set<ClusterName> taken = std::move(found->second);
    places.erase(found);
    return taken;
  });
}

void CopyPlaces::Put(const ObjectKey& workload, const std::set<ClusterName>& workers) {
  if (workers.empty()) return;
  places_.With([&](auto& places) { places[workload].insert(workers.begin(), workers.end()); });
}

}  // namespace fedra::reconcile
