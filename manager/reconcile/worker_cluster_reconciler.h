#pragma once
//
// Keeps the condition Active of the manager's MultiKueueClusters in place of Kueue's MultiKueue
// (kueue.mode multikueue): by our own connection to the worker of that name, in Kueue's words
// (clustersReconciler of pkg/controller/admissionchecks/multikueue/multikueuecluster.go, 0.19.2).
//
// Kueue counts its attempts in the message of a failed connection. We leave the message of an
// outage as it was first: it would be written with every attempt.
//
// Thread rules: any thread; one MultiKueueCluster by one thread at a time. Lifetime: its references
// must outlive it.

#include <optional>
#include <string>

#include "cluster-clients/cluster.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/reconcile/worker_set.h"
#include "manager/tracking/multi_kueue_cluster.h"

namespace fedra::reconcile {

// The condition of the MultiKueueCluster that leads to this worker, by what `source` says; nothing:
// it is being connected to for the first time, and what is said of it stays. Pure.
std::optional<tracking::ActiveCondition> ActiveOf(const WorkerStatus& worker,
                                                  tracking::MultiKueueCluster::Source source);

class WorkerClusterReconciler final {
 public:
  WorkerClusterReconciler(Cluster& manager,
                          const watch::ObjectCache<tracking::MultiKueueCluster>& clusters,
                          const WorkerSet& workers, const Clock& clock);

  // Nothing is done about one that does not exist, or of which discovery has made no worker yet.
  Result<void> Reconcile(const std::string& name);

 private:
  std::optional<tracking::ActiveCondition> Desired(
      const tracking::MultiKueueCluster& cluster) const;

  Cluster& manager_;
  const watch::ObjectCache<tracking::MultiKueueCluster>& clusters_;
  const WorkerSet& workers_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
