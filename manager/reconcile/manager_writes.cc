#include "manager/reconcile/manager_writes.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "manager/reconcile/crash_point.h"
#include "manager/reconcile/parse_written.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

WriteOptions OnStatus() {
  return {.field_manager = "fedra", .subresource = "status", .force = false, .dry_run = false};
}

// Runs `task` on a thread of the pool. What it refers to must live until its result is there.
std::future<Result<void>> Begin(WorkerPool& pool, const std::function<Result<void>()>& task) {
  const auto begun = std::make_shared<std::packaged_task<Result<void>()>>(task);
  pool.Submit([begun] { (*begun)(); });
  return begun->get_future();
}

}  // namespace

ManagerWrites::ManagerWrites(Cluster& cluster, ManagerJobs& jobs, Bookkeeping& bookkeeping,
                             Telemetry& telemetry, const Clock& clock, WorkerPool& beside)
    : cluster_(cluster),
      jobs_(jobs),
      bookkeeping_(bookkeeping),
      telemetry_(telemetry),
      clock_(clock),
      beside_(beside) {}

Result<void> ManagerWrites::PatchWorkloadStatus(Execution& execution, std::string body) {
  if (execution.gathered.view.kueue_clears) {
    FEDRA_ASSIGN_OR_RETURN(body, tracking::StatusApply(*execution.workload, body));
    return ApplyWorkloadStatus(execution, std::move(body));
  }
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         cluster_.MergePatch(tracking::kWorkloads, execution.workload->key,
                                             std::move(body), OnStatus()));
  return TakeWritten(execution, text);
}

Result<void> ManagerWrites::TakeWritten(Execution& execution, const std::string& text) {
  FEDRA_ASSIGN_OR_RETURN(execution.workload, ParseWritten(text, &tracking::ParseWorkload));
  jobs_.workloads().own().Changed(execution.workload);
  return {};
}

Result<void> ManagerWrites::ApplyNominations(Execution& execution,
                                             const std::vector<std::string>& names) {
  FEDRA_ASSIGN_OR_RETURN(std::string body, tracking::NominationsApply(*execution.workload, names));
  return ApplyWorkloadStatus(execution, std::move(body));
}

Result<void> ManagerWrites::ApplyWorkloadStatus(Execution& execution, std::string body) {
  WriteOptions options = OnStatus();
  options.field_manager = tracking::kAdmissionManager;
  options.force = true;
  FEDRA_ASSIGN_OR_RETURN(
      const std::string text,
      cluster_.Apply(tracking::kWorkloads, execution.workload->key, std::move(body), options));
  return TakeWritten(execution, text);
}

Result<void> ManagerWrites::WriteStatus(Execution& execution, tracking::StatusChange change) {
  change.check = execution.gathered.view.check;
  FEDRA_ASSIGN_OR_RETURN(std::string body,
                         tracking::StatusPatch(*execution.workload, change, clock_.Now()));
  return PatchWorkloadStatus(execution, std::move(body));
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::SetCheck& action) {
  FEDRA_RETURN_IF_ERROR(WriteStatus(execution, {.check = {},
                                                .state = action.state,
                                                .message = action.message,
                                                .nominated = {},
                                                .cluster_name = {}}));
  if (action.reported) bookkeeping_.Remember(execution, *action.reported);
  return {};
}

// The manager, the disk and, by `meanwhile`, a worker are waited for at the same time. A first
// nomination without its record, after a crash or when the disk is full, is what a lost store
// leaves: it shows where copies may be. A later one would pass for the round that is recorded, so
// its own comes first.
Result<void> ManagerWrites::Do(Execution& execution, const placement::Nominate& action,
                               const std::function<void()>& meanwhile) {
  Bookkeeping::Announcement announced = bookkeeping_.Announce(execution, action);
  if (announced.before.nominated_at) FEDRA_RETURN_IF_ERROR(bookkeeping_.Await(announced));
  CrashPoint("after-intent");
  const auto record = [&]() -> Result<void> {
    FEDRA_RETURN_IF_ERROR(bookkeeping_.Await(announced));
    meanwhile();
    return {};
  };
  std::future<Result<void>> recorded;
  if (meanwhile && cluster_.state().phase == ConnectionPhase::kConnected)
    recorded = Begin(beside_, record);
  std::vector<std::string> names;
  for (const ClusterName& cluster : action.clusters) names.push_back(cluster.value);
  Result<void> written = execution.gathered.view.kueue_copies
                             ? ApplyNominations(execution, names)
                             : WriteStatus(execution, {.check = {},
                                                       .state = tracking::CheckState::kPending,
                                                       .message = action.message,
                                                       .nominated = std::move(names),
                                                       .cluster_name = {}});
  FEDRA_RETURN_IF_ERROR(recorded.valid() ? recorded.get() : bookkeeping_.Await(announced));
  bookkeeping_.Conclude(execution, action, std::move(announced.before), written);
  if (written) CrashPoint("after-nomination");
  return written;
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::Admit& action) {
  const auto state =
      action.holds_check ? tracking::CheckState::kPending : tracking::CheckState::kReady;
  FEDRA_RETURN_IF_ERROR(WriteStatus(execution, {.check = {},
                                                .state = state,
                                                .message = action.message,
                                                .nominated = std::vector<std::string>(),
                                                .cluster_name = action.cluster.value}));
  CrashPoint("after-cluster-name");
  telemetry_.Placed(action.cluster, WaitedSinceQuota(*execution.workload, clock_.Now()));
  return {};
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::ClearPlacement& action) {
  FEDRA_RETURN_IF_ERROR(WriteStatus(execution, {.check = {},
                                                .state = tracking::CheckState::kPending,
                                                .message = action.message,
                                                .nominated = std::vector<std::string>(),
                                                .cluster_name = std::string()}));
  bookkeeping_.ClearRound(execution);
  return {};
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::Requeue&) {
  FEDRA_ASSIGN_OR_RETURN(std::string body,
                         tracking::RequeuedPatch(*execution.workload, clock_.Now()));
  return PatchWorkloadStatus(execution, std::move(body));
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::FinishWorkload& action) {
  FEDRA_ASSIGN_OR_RETURN(
      std::string body,
      tracking::FinishedPatch(*execution.workload, action.reason, action.message, clock_.Now()));
  return PatchWorkloadStatus(execution, std::move(body));
}

Result<tracking::JobPtr> ManagerWrites::PatchJobStatus(const tracking::Job& local,
                                                       std::string body) {
  const tracking::JobAdapter& adapter = *local.kind;
  FEDRA_ASSIGN_OR_RETURN(const std::string text, cluster_.MergePatch(adapter.resource(), local.key,
                                                                     std::move(body), OnStatus()));
  FEDRA_ASSIGN_OR_RETURN(tracking::JobPtr written, ParseWritten(text, adapter));
  jobs_.Of(adapter).own().Changed(written);
  return written;
}

// One that fails does not keep the others from being written.
Result<void> ManagerWrites::PatchObjects(Execution& execution, std::vector<JobPatch> patches) {
  Result<void> outcome;
  std::vector<tracking::JobPtr> objects = tracking::ObjectsOf(execution.job);
  for (JobPatch& patch : patches) {
    auto written = PatchJobStatus(*patch.local, std::move(patch.body));
    if (!written) {
      if (outcome) outcome = Fail(written.error());
      continue;
    }
    std::ranges::replace(objects, patch.local, *written);
  }
  if (patches.empty()) return outcome;
  execution.job = execution.job->is_group()
                      ? tracking::JoinMembers(execution.job->key, std::move(objects))
                      : objects.front();
  return outcome;
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::MirrorStatus& action) {
  std::vector<JobPatch> patches;
  for (auto& [local, remote] :
       tracking::PairsOf(execution.job, execution.View(action.cluster).job)) {
    if (auto patch = local->kind->MirrorPatch(*local, *remote))
      patches.push_back({local, std::move(*patch)});
  }
  return PatchObjects(execution, std::move(patches));
}

Result<void> ManagerWrites::Do(Execution& execution, const placement::ClearActivity&) {
  std::vector<JobPatch> patches;
  for (const tracking::JobPtr& local : tracking::ObjectsOf(execution.job)) {
    if (auto patch = local->kind->ClearActivityPatch(*local))
      patches.push_back({local, std::move(*patch)});
  }
  return PatchObjects(execution, std::move(patches));
}

}  // namespace fedra::reconcile
