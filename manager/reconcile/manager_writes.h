#pragma once
//
// The writes of a decision to the manager: the Workload's status and the job's.
//
// Thread rules: blocking calls; any thread, one workload by one thread at a time. Lifetime:
// everything given at construction must outlive it.

#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "manager/placement/action.h"
#include "manager/reconcile/bookkeeping.h"
#include "manager/reconcile/execution.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/telemetry.h"
#include "manager/tracking/job_members.h"

namespace fedra::reconcile {

class ManagerWrites final {
 public:
  // `jobs`: of the cluster; what was written is kept there.
  ManagerWrites(Cluster& cluster, ManagerJobs& jobs, Bookkeeping& bookkeeping, Telemetry& telemetry,
                const Clock& clock);

  Result<void> Do(Execution& execution, const placement::SetCheck& action);
  Result<void> Do(Execution& execution, const placement::Nominate& action);
  Result<void> Do(Execution& execution, const placement::Admit& action);
  Result<void> Do(Execution& execution, const placement::ClearPlacement& action);
  Result<void> Do(Execution& execution, const placement::Requeue& action);
  Result<void> Do(Execution& execution, const placement::FinishWorkload& action);
  Result<void> Do(Execution& execution, const placement::MirrorStatus& action);
  Result<void> Do(Execution& execution, const placement::ClearActivity& action);

 private:
  Result<void> WriteStatus(Execution& execution, tracking::StatusChange change);
  // The names alone.
  Result<void> ApplyNominations(Execution& execution, const std::vector<std::string>& names);
  // As Kueue writes its part of the status (tracking::StatusApply).
  Result<void> ApplyWorkloadStatus(Execution& execution, std::string body);
  Result<void> TakeWritten(Execution& execution, const std::string& text);
  // By this merge patch; where Kueue must be able to take it back, as an apply of what it makes.
  Result<void> PatchWorkloadStatus(Execution& execution, std::string body);
  struct JobPatch {
    tracking::JobPtr local;
    std::string body;  // of a merge patch
  };
  Result<tracking::JobPtr> PatchJobStatus(const tracking::Job& local, std::string body);
  Result<void> PatchObjects(Execution& execution, std::vector<JobPatch> patches);

  Cluster& cluster_;
  ManagerJobs& jobs_;
  Bookkeeping& bookkeeping_;
  Telemetry& telemetry_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
