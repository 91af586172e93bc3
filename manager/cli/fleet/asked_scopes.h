#pragma once
//
// Which workers a job may use that would be submitted to the manager now: those that the
// AdmissionCheck of its ClusterQueue allows, that are in service, and to which Kueue is connected
// where that makes the copies. The daemon reads the check off the Workload, which a manifest does
// not have yet.
//
// Where this is not known nothing is said: the queue or a list is missing, the queue's check
// depends on the flavors that the job will get (onFlavors), or two checks of ours are on the queue.
//
// Thread rules: each sink by one thread at a time; all else from any thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/tracking/requirement.h"
#include "manager/tracking/shared_queue.h"
#include "manager/verify/check_scope.h"
#include "manager/verify/objects.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {

class AskedScopes final {
 public:
  // `controller_name`: of our AdmissionChecks. `kueue_copies`: the copies are Kueue's
  // (kueue.mode dispatcher). `on_change`: a list is complete, or cannot be had.
  AskedScopes(std::string controller_name, bool kueue_copies,
              const std::function<void()>& on_change);

  std::vector<verify::Input> Inputs();
  // Some first list is still to come.
  bool IsListing() const;
  // Why a job of this requirement may not run on the worker; nothing: it may, or that is not known.
  std::optional<verdict::Reason> WhyNotAllowed(const tracking::Requirement& job,
                                               const ClusterName& worker) const;

 private:
  std::optional<verdict::Reason> WhyExcluded(const tracking::Requirement& job,
                                             const ClusterName& worker) const;
  // The check of ours that decides; empty: none does, or it is not known.
  std::string CheckFor(const tracking::Requirement& job) const;

  verify::Cache<tracking::AdmissionCheck> checks_;
  verify::Cache<tracking::MultiKueueConfig> configs_;
  verify::Cache<tracking::SharedQueue> queues_;
  verify::Cache<verify::LocalQueue> local_queues_;
  verify::Cache<tracking::MultiKueueCluster> worker_clusters_;  // read with kueue_copies_ only
  const bool kueue_copies_;
  const verify::CheckScopes scopes_;
};

}  // namespace fedra::cli
