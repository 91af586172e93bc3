#include "manager/reconcile/leftovers.h"

#include <algorithm>

namespace fedra::reconcile {

int CountOrphans(const Worker& worker, const ManagerJobs& jobs, const tracking::Identity& us) {
  const auto clones = worker.objects().clones().cache().List();
  return static_cast<int>(std::ranges::count_if(clones, [&](const auto& clone) {
    const auto workload = jobs.workloads().cache().Find(clone->key);
    const std::string uid = workload == nullptr ? std::string() : workload->uid;
    return tracking::OwnershipOf(clone->marks, us, uid) == tracking::Ownership::kOursEarlier;
  }));
}

int CountDrift(const Worker& worker, const ManagerTemplates& originals) {
  const auto all = originals.cache().List();
  return static_cast<int>(std::ranges::count_if(all, [&](const auto& original) {
    const auto there = worker.objects().templates().cache().Find(original->key);
    return there != nullptr && there->spec != original->spec;
  }));
}

}  // namespace fedra::reconcile
