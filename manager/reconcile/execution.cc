#include "manager/reconcile/execution.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/log.h"
#include "manager/placement/note_reasons.h"
#include "manager/reconcile/crash_point.h"
#include "manager/reconcile/remove_copy.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using placement::ClusterView;

constexpr size_t kMaxFailures = 20;
constexpr int kMaxTimes = 100;

WriteOptions OnStatus() {
  return {.field_manager = "fedra", .subresource = "status", .force = false, .dry_run = false};
}

dra::ReasonCode RefusalReason(ErrorCode code) {
  return code == ErrorCode::kForbidden ? dra::ReasonCode::kForbidden
                                       : dra::ReasonCode::kRecentlyFailed;
}

template <class T>
Result<std::shared_ptr<const T>> Parse(const std::string& text,
                                       Result<T> (*parser)(const nlohmann::json&)) {
  FEDRA_ASSIGN_OR_RETURN(const nlohmann::json object, watch::ParseJson(text));
  FEDRA_ASSIGN_OR_RETURN(T value, parser(object));
  return std::make_shared<const T>(std::move(value));
}

}  // namespace

Execution::Execution(Executor& executor, const Picture& picture)
    : executor_(executor),
      tools_(executor.tools_),
      picture_(picture),
      workload_(picture.view.workload),
      job_(picture.view.job) {}

// However it ended: what came of it is known now, and the state of the clusters says the rest.
Execution::~Execution() {
  for (const int64_t intent : intents_) tools_.store.Enqueue(store::EndIntent{intent});
}

tracking::Marks Execution::OurMarks() const { return {tools_.origin, tools_.manager.uid()}; }

const ClusterView& Execution::View(const ClusterName& name) const {
  const auto found = std::find_if(picture_.clusters.begin(), picture_.clusters.end(),
                                  [&](const ClusterView& cluster) { return cluster.name == name; });
  FEDRA_ASSERT(found != picture_.clusters.end(), "a decision names a cluster of its view");
  return *found;
}

store::PlacementRow Execution::Row() const {
  store::PlacementRow row = tools_.records.Find(picture_.view.key);
  if (workload_ == nullptr || row.uid == workload_->uid) return row;
  row = {};
  row.uid = workload_->uid;
  row.key = workload_->key;
  row.job_kind = workload_->owner.kind;
  row.job = picture_.job;
  return row;
}

Regarding Execution::AboutWorkload() const {
  return {tracking::kWorkloads.ApiVersion(), tracking::kWorkloads.kind, workload_->key,
          workload_->uid};
}

Result<void> Execution::PatchWorkloadStatus(std::string body) {
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         tools_.manager.cluster().MergePatch(tracking::kWorkloads, workload_->key,
                                                             std::move(body), OnStatus()));
  FEDRA_ASSIGN_OR_RETURN(workload_, Parse(text, &tracking::ParseWorkload));
  tools_.manager.workloads().own().Wrote(workload_);
  return {};
}

Result<void> Execution::WriteStatus(tracking::StatusChange change) {
  change.check = picture_.view.check;
  FEDRA_ASSIGN_OR_RETURN(std::string body,
                         tracking::StatusPatch(*workload_, change, tools_.clock.Now()));
  return PatchWorkloadStatus(std::move(body));
}

Result<void> Execution::operator()(const placement::SetCheck& action) {
  return WriteStatus({.check = {},
                      .state = action.state,
                      .message = action.message,
                      .nominated = {},
                      .cluster_name = {}});
}

Result<void> Execution::operator()(const placement::Nominate& action) {
  store::PlacementRow row = Row();
  store::PlacementRow before = row;
  row.nominated = action.clusters;
  if (action.new_round) {
    FEDRA_RETURN_IF_ERROR(BeginAttempt(std::move(row)));
  } else if (!row.nominated.empty() || row.attempt > 0) {
    tools_.records.Put(std::move(row));
  }
  CrashPoint("after-intent");
  std::vector<std::string> names;
  for (const ClusterName& cluster : action.clusters) names.push_back(cluster.value);
  const Result<void> written = WriteStatus({.check = {},
                                            .state = tracking::CheckState::kPending,
                                            .message = action.message,
                                            .nominated = std::move(names),
                                            .cluster_name = {}});
  if (!written && action.new_round) TakeBackAttempt(std::move(before), written.error());
  return written;
}

Result<void> Execution::BeginAttempt(store::PlacementRow row) {
  const WallTime now = tools_.clock.Now();
  ++row.attempt;
  row.nominated_at = now;
  // What the worker of the last round lost by itself has left nothing to remove.
  std::vector<store::Change> announced{
      store::RemoveLaterAttempts{row.uid, row.attempt},
      store::EndEarlierAttempts{row.uid, row.attempt, now, "Requeued"}};
  for (const ClusterName& cluster : row.nominated) {
    announced.emplace_back(
        store::PutAttempt{{row.uid, row.attempt, cluster, now, std::nullopt, {}, {}}});
    const int64_t intent = tools_.store.NewIntentId();
    intents_.push_back(intent);
    announced.emplace_back(
        store::AddIntent{{intent, row.uid, "CreateClone", cluster, workload_->key, now}});
  }
  return tools_.records.Commit(std::move(row), std::move(announced));
}

// No worker was asked yet, so the next round may have the number. A daemon that dies before this
// counts one attempt too many.
void Execution::TakeBackAttempt(store::PlacementRow before, const Error& error) {
  // Perhaps it was written all the same: then the clock of the round before is not this one's.
  if (error.code != ErrorCode::kConflict && !IsRefusal(error.code)) before.nominated_at.reset();
  tools_.records.Put(std::move(before));
}

Result<void> Execution::operator()(const placement::Admit& action) {
  FEDRA_RETURN_IF_ERROR(WriteStatus({.check = {},
                                     .state = tracking::CheckState::kReady,
                                     .message = action.message,
                                     .nominated = std::vector<std::string>(),
                                     .cluster_name = action.cluster.value}));
  CrashPoint("after-cluster-name");
  tools_.telemetry.Placed(action.cluster);
  return {};
}

Result<void> Execution::operator()(const placement::ClearPlacement& action) {
  FEDRA_RETURN_IF_ERROR(WriteStatus({.check = {},
                                     .state = tracking::CheckState::kPending,
                                     .message = action.message,
                                     .nominated = std::vector<std::string>(),
                                     .cluster_name = std::string()}));
  store::PlacementRow row = Row();
  row.nominated.clear();
  row.nominated_at.reset();
  tools_.records.Put(std::move(row));
  return {};
}

Result<void> Execution::operator()(const placement::FinishWorkload& action) {
  FEDRA_ASSIGN_OR_RETURN(
      std::string body,
      tracking::FinishedPatch(*workload_, action.reason, action.message, tools_.clock.Now()));
  return PatchWorkloadStatus(std::move(body));
}

Result<void> Execution::PatchJobStatus(std::string body) {
  const tracking::JobAdapter& adapter = *picture_.adapter;
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         tools_.manager.cluster().MergePatch(adapter.resource(), job_->key,
                                                             std::move(body), OnStatus()));
  FEDRA_ASSIGN_OR_RETURN(job_, Parse(text, adapter.parser()));
  tools_.manager.jobs(adapter).own().Wrote(job_);
  return {};
}

Result<void> Execution::operator()(const placement::MirrorStatus& action) {
  const ClusterView& view = View(action.cluster);
  if (job_ == nullptr || view.job == nullptr || picture_.adapter == nullptr) return {};
  auto patch = picture_.adapter->MirrorPatch(*job_, *view.job);
  return patch ? PatchJobStatus(std::move(*patch)) : Result<void>();
}

Result<void> Execution::operator()(const placement::ClearActivity&) {
  if (job_ == nullptr || picture_.adapter == nullptr) return {};
  auto patch = picture_.adapter->ClearActivityPatch(*job_);
  return patch ? PatchJobStatus(std::move(*patch)) : Result<void>();
}

Result<void> Execution::Create(
    Worker& worker, const kube::Resource& resource, std::string body,
    const std::function<Result<bool>(const std::string& object)>& remember) {
  auto created = worker.cluster().Create(resource, picture_.view.key.ns, std::move(body));
  if (!created && created.error().code == ErrorCode::kAlreadyExists) {
    // Ours from before a crash or a lost answer, or somebody else's: the marks decide.
    const ObjectKey key = resource == tracking::kWorkloads ? picture_.view.key : picture_.job;
    created = worker.cluster().Get(resource, key);
    if (!created && created.error().code == ErrorCode::kNotFound)
      return Fail(ErrorCode::kConflict, "the object that was in the way is gone");
  }
  if (!created) return Fail(std::move(created).error());
  FEDRA_ASSIGN_OR_RETURN(const bool ours, remember(*created));
  if (ours) return {};
  return Refused(worker.name(), dra::ReasonCode::kNameConflict,
                 placement::notes::kNameConflict.name,
                 fmt::format("a {} of the same name that is not ours exists on {}", resource.kind,
                             worker.name().value));
}

Result<void> Execution::Refused(const ClusterName& cluster, dra::ReasonCode code,
                                std::string_view note, std::string message) {
  FEDRA_RETURN_IF_ERROR(
      (*this)(placement::RecordFailure{{cluster, code, tools_.clock.Now(), message, true}}));
  FEDRA_RETURN_IF_ERROR((*this)(placement::Note{note, cluster, message}));
  return Fail(ErrorCode::kConflict, std::move(message));
}

// The worker must have every template before its Kueue sees the clone. A refusal is remembered, and
// the workload is judged again at once.
Result<void> Execution::ProvideTemplates(Worker& worker) {
  Result<void> provided = tools_.templates.Provide(worker, *workload_);
  if (provided || !IsRefusal(provided.error().code)) return provided;
  std::string message = fmt::format("{} refused a copy of a ResourceClaimTemplate: {}",
                                    worker.name().value, provided.error().message);
  FEDRA_RETURN_IF_ERROR(
      (*this)(placement::Note{placement::notes::kDispatchFailed.name, worker.name(), message}));
  return Fail(ErrorCode::kConflict, std::move(message));
}

Result<void> Execution::operator()(const placement::CreateClone& action) {
  Worker& worker = executor_.Find(action.cluster);
  FEDRA_RETURN_IF_ERROR(ProvideTemplates(worker));
  FEDRA_ASSIGN_OR_RETURN(const auto pass, tools_.gates.Enter(action.cluster));
  FEDRA_ASSIGN_OR_RETURN(std::string body, tracking::CloneBody(*workload_, OurMarks()));
  auto result = Create(worker, tracking::kWorkloads, std::move(body),
                       [&](const std::string& text) -> Result<bool> {
                         FEDRA_ASSIGN_OR_RETURN(auto clone, Parse(text, &tracking::ParseClone));
                         if (!placement::IsOurs(*clone, tools_.origin, workload_->uid))
                           return false;
                         worker.clones().own().Wrote(std::move(clone));
                         return true;
                       });
  CrashPoint("after-create-clone");
  tools_.telemetry.Dispatched(action.cluster, result ? "ok" : ToString(result.error().code));
  if (!result && IsRefusal(result.error().code)) {
    return Refused(
        action.cluster, RefusalReason(result.error().code), placement::notes::kDispatchFailed.name,
        fmt::format("{} refused the copy: {}", action.cluster.value, result.error().message));
  }
  return result;
}

Result<void> Execution::operator()(const placement::CreateJob& action) {
  if (job_ == nullptr || picture_.adapter == nullptr)
    return Fail(ErrorCode::kConflict, "the job is gone");
  Worker& worker = executor_.Find(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto pass, tools_.gates.Enter(action.cluster));
  const tracking::JobAdapter& adapter = *picture_.adapter;
  FEDRA_ASSIGN_OR_RETURN(std::string body, adapter.RemoteBody(*job_, *workload_, OurMarks()));
  auto result = Create(worker, adapter.resource(), std::move(body),
                       [&](const std::string& text) -> Result<bool> {
                         FEDRA_ASSIGN_OR_RETURN(auto job, Parse(text, adapter.parser()));
                         if (!placement::IsOurs(*job, tools_.origin, workload_->uid)) return false;
                         worker.jobs(adapter).own().Wrote(std::move(job));
                         return true;
                       });
  CrashPoint("after-create-job");
  if (!result && IsRefusal(result.error().code)) {
    return Refused(
        action.cluster, RefusalReason(result.error().code), placement::notes::kDispatchFailed.name,
        fmt::format("{} refused the job: {}", action.cluster.value, result.error().message));
  }
  return result;
}

Result<void> Execution::operator()(const placement::SetClonePriority& action) {
  const ClusterView& view = View(action.cluster);
  if (view.clone == nullptr) return {};
  Worker& worker = executor_.Find(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto pass, tools_.gates.Enter(action.cluster));
  FEDRA_ASSIGN_OR_RETURN(
      const std::string text,
      worker.cluster().MergePatch(tracking::kWorkloads, view.clone->key,
                                  tracking::PriorityPatch(*workload_, *view.clone)));
  FEDRA_ASSIGN_OR_RETURN(auto clone, Parse(text, &tracking::ParseClone));
  worker.clones().own().Wrote(std::move(clone));
  return {};
}

Result<void> Execution::DeleteJob(Worker& worker, const ClusterView& view) {
  if (view.job == nullptr || view.job->deleting || !placement::IsOurs(*view.job, tools_.origin, {}))
    return {};
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    if (worker.Job(*adapter, view.job->key) == nullptr) continue;
    FEDRA_RETURN_IF_ERROR(RemoveJob(worker.cluster(), *adapter, view.job->key, view.job->uid));
    worker.jobs(*adapter).own().Deleted(view.job->key, view.job->uid);
  }
  return {};
}

Result<void> Execution::DeleteClone(Worker& worker, const ClusterView& view) {
  if (view.clone == nullptr || !placement::IsOurs(*view.clone, tools_.origin, {})) return {};
  const tracking::Workload& clone = *view.clone;
  FEDRA_RETURN_IF_ERROR(RemoveClone(worker.cluster(), clone));
  worker.clones().own().Deleted(clone.key, clone.uid);
  return {};
}

// The job goes first: its pods must not outlive the quota. Kueue there then marks the clone as
// orphaned, which is nobody's result (realcluster.md section 4, trap 5) and never copied.
Result<void> Execution::operator()(const placement::DeleteRemote& action) {
  Worker& worker = executor_.Find(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto pass, tools_.gates.Enter(action.cluster));
  const ClusterView& view = View(action.cluster);
  FEDRA_RETURN_IF_ERROR(DeleteJob(worker, view));
  CrashPoint("after-delete-job");
  FEDRA_RETURN_IF_ERROR(DeleteClone(worker, view));
  if (!action.outcome.empty()) EndAttempt(action.cluster, action.outcome, {});
  tools_.records.EndResidue(action.cluster, picture_.view.key);
  return {};
}

void Execution::EndAttempt(const ClusterName& cluster, const std::string& outcome,
                           const std::string& message) {
  const store::PlacementRow row = Row();
  if (row.attempt == 0) return;
  tools_.store.Enqueue(
      store::EndAttempts{row.uid, {{row.attempt, cluster, tools_.clock.Now(), outcome, message}}});
}

Result<void> Execution::operator()(const placement::RecordFailure& action) {
  const placement::Failure& failure = action.failure;
  const std::string reason(dra::ToString(failure.reason));
  store::PlacementRow row = Row();
  int times = 1;
  std::erase_if(row.failures, [&](const store::PlacementFailure& earlier) {
    if (earlier.cluster != failure.cluster) return false;
    times = std::min(earlier.times + 1, kMaxTimes);
    return true;
  });
  if (row.failures.size() >= kMaxFailures) row.failures.erase(row.failures.begin());
  row.failures.push_back(
      {failure.cluster, reason, failure.at, failure.message, failure.refused, times});
  EndAttempt(failure.cluster, reason, failure.message);
  tools_.records.Put(std::move(row));
  return {};
}

Result<void> Execution::operator()(const placement::RecordPlacing& action) {
  tools_.records.RememberPlacing(picture_.view.key, {action.cluster, tools_.clock.Now()});
  return {};
}

Result<void> Execution::operator()(const placement::RecordResidue& action) {
  const store::PlacementRow row = Row();
  if (row.uid.empty()) return {};
  FEDRA_RETURN_IF_ERROR(tools_.records.AddResidue(
      {action.cluster, picture_.view.key, row.uid, row.job_kind, row.job, tools_.clock.Now()}));
  // Its return may have been told before there was a residue to look for.
  if (executor_.Find(action.cluster).contact() != placement::Contact::kFull) return {};
  return Fail(ErrorCode::kConflict, action.cluster.value + " is back");
}

Result<void> Execution::operator()(const placement::Forget&) {
  tools_.records.Forget(picture_.view.key);
  tools_.recorder.Gone(picture_.view.key);
  return {};
}

Result<void> Execution::operator()(const placement::Note& action) {
  using namespace placement;
  if (!tools_.recorder.Tell(picture_, action)) return {};
  if (action.reason == notes::kWorkerLost.name) tools_.telemetry.WorkerLost(action.cluster);
  const bool is_warning = notes::IsWarning(action.reason);
  log::Write(is_warning ? log::Level::kWarn : log::Level::kInfo, action.reason,
             {{"workload", picture_.view.key.ToString()},
              {"cluster", action.cluster.value},
              {"message", action.message}});
  if (workload_ == nullptr) return {};
  // A dispatch is news about the Workload only; its end is news about the job.
  if (action.reason != notes::kCompleted.name)
    tools_.events.Emit(AboutWorkload(), action.reason, is_warning, action.message);
  if (job_ != nullptr && action.reason != notes::kDispatched.name) {
    tools_.events.Emit({workload_->owner.api_version, workload_->owner.kind, job_->key, job_->uid},
                       action.reason, is_warning, action.message);
  }
  return {};
}

}  // namespace fedra::reconcile
