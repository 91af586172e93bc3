#pragma once
//
// Keeps the condition Active of our AdmissionChecks: nobody else writes it, and a check that is not
// Active makes its ClusterQueues inactive (realcluster.md section 3).
//
// Thread rules: any thread; one check by one thread at a time. Lifetime: its references must
// outlive it.

#include <string>

#include "manager/reconcile/gather.h"

namespace fedra::reconcile {

class CheckKeeper final {
 public:
  CheckKeeper(ManagerCluster& manager, const Gatherer& gatherer, const Workers& workers,
              const Clock& clock);

  Result<void> Keep(const std::string& check);

 private:
  tracking::ActiveCondition Desired(const tracking::AdmissionCheck& check) const;

  ManagerCluster& manager_;
  const Gatherer& gatherer_;
  const Workers& workers_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
