#pragma once
//
// The manager's lists that say which workers a job may use (job_scopes.h), for a command that reads
// them for a moment.
//
// Thread rules: each sink by one thread at a time; all else from any thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/cli/fleet/job_scopes.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {

class AskedScopes final {
 public:
  // `controller_name`: of our AdmissionChecks. `kueue_copies`: the copies are Kueue's
  // (kueue.mode dispatcher). `on_change`: a list is complete, or cannot be had.
  AskedScopes(const std::string& controller_name, bool kueue_copies,
              const std::function<void()>& on_change);

  std::vector<verify::Input> Inputs();
  // Some first list is still to come.
  bool IsListing() const;
  // Why a job of this requirement may not run on the worker; nothing: it may, or that is not known.
  std::optional<verdict::Reason> WhyNotAllowed(const tracking::Requirement& job,
                                               const ClusterName& worker) const {
    return scopes_.WhyNotAllowed(job, worker);
  }

 private:
  verify::Cache<tracking::AdmissionCheck> checks_;
  verify::Cache<tracking::MultiKueueConfig> configs_;
  verify::Cache<tracking::SharedQueue> queues_;
  verify::Cache<verify::LocalQueue> local_queues_;
  verify::Cache<tracking::MultiKueueCluster> worker_clusters_;  // read with kueue_copies_ only
  const bool kueue_copies_;
  const JobScopes scopes_;
};

}  // namespace fedra::cli
