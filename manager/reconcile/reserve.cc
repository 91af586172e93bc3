#include "manager/reconcile/reserve.h"

#include <algorithm>

namespace fedra::reconcile {
namespace {

Reservation TakeBack(const ObjectKey& workload, const std::map<ClusterName, JudgedCache>& workers,
                     const std::vector<ClusterName>& reserved) {
  Reservation none;
  for (const ClusterName& name : reserved)
    if (workers.at(name).cache->Forget(workload).freed) none.freed.push_back(name);
  return none;
}

}  // namespace

// In the order of their names: of two that want the same workers one gets through.
Reservation ReserveOnAll(const placement::Assumption& assumption,
                         const std::map<ClusterName, JudgedCache>& workers,
                         const std::set<ClusterName>& dispatched, bool all_count) {
  std::vector<ClusterName> reserved;
  for (const ClusterName& name : dispatched) {
    const JudgedCache& worker = workers.at(name);
    if (!worker.cache->Reserve(assumption, worker.seen))
      return TakeBack(assumption.workload, workers, reserved);
    reserved.push_back(name);
  }
  // After its own reservation: of two that look at each other's workers, one sees the other's.
  const auto has_moved = [&](const auto& worker) {
    return !dispatched.contains(worker.first) &&
           worker.second.cache->version() != worker.second.seen;
  };
  if (all_count && !dispatched.empty() && std::any_of(workers.begin(), workers.end(), has_moved))
    return TakeBack(assumption.workload, workers, reserved);
  return {.made = true, .freed = {}};
}

}  // namespace fedra::reconcile
