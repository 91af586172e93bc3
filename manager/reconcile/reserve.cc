#include "manager/reconcile/reserve.h"

#include <algorithm>

namespace fedra::reconcile {
namespace {

ReserveResult TakeBack(const ReserveRequest& wanted, const std::vector<ClusterName>& reserved) {
  ReserveResult none;
  for (const ClusterName& name : reserved) {
    if (wanted.judged.at(name).cache->Forget(wanted.assumption.workload).freed)
      none.freed.push_back(name);
  }
  return none;
}

// After its own reservation: of two that look at each other's workers, one sees the other's.
bool HasMovedElsewhere(const ReserveRequest& wanted) {
  return std::any_of(wanted.judged.begin(), wanted.judged.end(), [&](const auto& worker) {
    return !wanted.dispatched.contains(worker.first) &&
           worker.second.cache->version() != worker.second.verdict.version;
  });
}

ReserveResult ForgetElsewhere(const ReserveRequest& wanted) {
  ReserveResult all{.made = true, .freed = {}};
  for (const auto& [name, cache] : wanted.places) {
    if (!wanted.dispatched.contains(name) && cache->Forget(wanted.assumption.workload).freed)
      all.freed.push_back(name);
  }
  return all;
}

}  // namespace

// In the order of their names: of two that want the same workers one gets through.
ReserveResult ReserveOnAll(const ReserveRequest& wanted) {
  std::vector<ClusterName> reserved;
  for (const ClusterName& name : wanted.dispatched) {
    const JudgedCache& worker = wanted.judged.at(name);
    if (!worker.cache->Reserve(wanted.assumption, worker.verdict))
      return TakeBack(wanted, reserved);
    reserved.push_back(name);
  }
  if (wanted.all_count && !wanted.dispatched.empty() && HasMovedElsewhere(wanted))
    return TakeBack(wanted, reserved);
  return ForgetElsewhere(wanted);
}

}  // namespace fedra::reconcile
