#pragma once
//
// Keeps the condition Active of our AdmissionChecks: only the check's controller writes it, and a
// check that is not Active makes its ClusterQueues inactive (Kueue 0.19: AdmissionCheckInactive).
//
// Thread rules: any thread; one check by one thread at a time. Lifetime: its references must
// outlive it.

#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/reconcile/worker_set.h"
#include "manager/tracking/admission_check.h"
#include "manager/verify/check_scope.h"

namespace fedra::reconcile {

// A configured worker, as far as AdmissionChecks are concerned.
struct CheckWorker {
  std::string name;
  bool usable = false;  // connected, and what matters there can be listed
};

// The condition of a check with this scope, in the words of Kueue's own MultiKueue controller
// (pkg/controller/admissionchecks/multikueue/admissioncheck.go, 0.19). Pure.
tracking::ActiveCondition ActiveOf(const verify::CheckScope& scope,
                                   const std::vector<CheckWorker>& workers);

class AdmissionCheckReconciler final {
 public:
  AdmissionCheckReconciler(Cluster& manager,
                           const watch::ObjectCache<tracking::AdmissionCheck>& checks,
                           const verify::CheckScopes& scopes, const WorkerSet& workers,
                           const Clock& clock);

  // Nothing is done about a check that does not exist or has another controller.
  Result<void> Reconcile(const std::string& name);

 private:
  Cluster& manager_;
  const watch::ObjectCache<tracking::AdmissionCheck>& checks_;
  const verify::CheckScopes& scopes_;
  const WorkerSet& workers_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
