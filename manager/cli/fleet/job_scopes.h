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
// Thread rules: any thread. Lifetime: the lists must outlive it.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/types.h"
#include "manager/tracking/requirement.h"
#include "manager/tracking/shared_queue.h"
#include "manager/verify/check_scope.h"
#include "manager/verify/objects.h"

namespace fedra::cli {

// The manager's lists: a command's or the daemon's.
struct ScopeLists {
  const verify::Cache<tracking::AdmissionCheck>& checks;
  const verify::Cache<tracking::MultiKueueConfig>& configs;
  // The ClusterQueue behind a LocalQueue; null: not known.
  std::function<std::shared_ptr<const tracking::SharedQueue>(const ObjectKey& local_queue)> queue;
  // Null: the copies are not Kueue's (kueue.mode dispatcher).
  const verify::Cache<tracking::MultiKueueCluster>* worker_clusters = nullptr;
};

class JobScopes final {
 public:
  // `controller_name`: of our AdmissionChecks.
  JobScopes(const std::string& controller_name, ScopeLists lists);

  // Why a job of this requirement may not run on the worker; nothing: it may, or that is not known.
  std::optional<verdict::Reason> WhyNotAllowed(const tracking::Requirement& job,
                                               const ClusterName& worker) const;

 private:
  std::optional<verdict::Reason> WhyExcluded(const tracking::Requirement& job,
                                             const ClusterName& worker) const;
  // The check of ours that decides; empty: none does, or it is not known.
  std::string CheckFor(const tracking::Requirement& job) const;

  const ScopeLists lists_;
  const verify::CheckScopes scopes_;
};

}  // namespace fedra::cli
