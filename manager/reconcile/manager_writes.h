#pragma once
//
// The writes of a decision to the manager: the Workload's status and the job's.
//
// Thread rules: blocking calls; any thread, one workload by one thread at a time. Lifetime:
// everything given at construction must outlive it.

#include <functional>
#include <string>
#include <vector>

#include "base/worker_pool.h"
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
  // `jobs`: of the cluster; what was written is kept there. `beside`: for what goes on while the
  // manager answers; a thread for each that calls Do().
  ManagerWrites(Cluster& cluster, ManagerJobs& jobs, Bookkeeping& bookkeeping, Telemetry& telemetry,
                const Clock& clock, WorkerPool& beside);

  Result<void> Do(Execution& execution, const placement::SetCheck& action);
  // `meanwhile`: run on another thread while the manager answers, but not before the attempt is
  // durable; not at all where it cannot be recorded, or without contact to the manager. It has
  // ended when this returns, and must not use `execution`.
  Result<void> Do(Execution& execution, const placement::Nominate& action,
                  const std::function<void()>& meanwhile = nullptr);
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
  WorkerPool& beside_;
};

}  // namespace fedra::reconcile
