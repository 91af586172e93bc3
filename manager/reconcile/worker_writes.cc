#include "manager/reconcile/worker_writes.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/placement/note_reasons.h"
#include "manager/placement/refusal.h"
#include "manager/reconcile/crash_point.h"
#include "manager/reconcile/parse_written.h"
#include "manager/reconcile/remove_copy.h"
#include "manager/tracking/adopt.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using placement::ClusterView;

verdict::ReasonCode RefusalReason(ErrorCode code) {
  return code == ErrorCode::kForbidden ? verdict::ReasonCode::kForbidden
                                       : verdict::ReasonCode::kRecentlyFailed;
}

// Whether what is deleted is a job of ours that was started and has not ended.
bool StopsJob(const ClusterView& view) {
  return view.job != nullptr && tracking::IsOurs(view.job_is) && !view.job->deleting &&
         !view.job->finished && !view.job->suspended;
}

// The copies of a Workload that is over are to go whatever happens to them, and their status may
// change all the time. Any other copy may be what a fedra that leads by now wants.
bool IsOver(const tracking::Workload* workload) {
  return workload == nullptr || workload->deleting || workload->Finished();
}

std::string_view WhyStopped(std::optional<placement::AttemptEnd> end) {
  using placement::AttemptEnd;
  if (!end) return "it remained from a previous admission";
  switch (*end) {
    case AttemptEnd::kFinished:
      return "the Workload on the manager is finished";
    case AttemptEnd::kFailed:
      return "the Workload on the manager has failed";
    case AttemptEnd::kDeleted:
      return "it was deleted on the manager";
    case AttemptEnd::kLostRace:
      return "another worker has it";
    case AttemptEnd::kTimedOut:
      return "it could not be recorded on the manager in time";
    case AttemptEnd::kWithdrawn:
      return "it is not to run there any more";
    case AttemptEnd::kEvicted:
      return "it was evicted";
    case AttemptEnd::kRefused:
      return "the worker refused it";
    case AttemptEnd::kRequeued:
      return "it is queued again";
  }
  return "";
}

// Of the clone by which the job runs there; empty: by no other one.
std::string NameOf(const std::shared_ptr<const tracking::Workload>& runs_by) {
  return runs_by == nullptr ? std::string() : runs_by->key.name;
}

std::string StopMessage(const placement::DeleteRemote& action, const ClusterView& view) {
  return fmt::format("the job {} was running on {} and was deleted there: {}",
                     view.job->key.ToString(), action.cluster.value, WhyStopped(action.end));
}

}  // namespace

WorkerWrites::WorkerWrites(tracking::Identity us, const ManagerIdentity& manager,
                           TemplateReconciler& templates, ConcurrencyLimiter& limiter,
                           Bookkeeping& bookkeeping, Telemetry& telemetry, const Clock& clock)
    : us_(std::move(us)),
      manager_(manager),
      templates_(templates),
      limiter_(limiter),
      bookkeeping_(bookkeeping),
      telemetry_(telemetry),
      clock_(clock) {}

Result<bool> WorkerWrites::Create(Worker& worker, const kube::Resource& resource,
                                  const ObjectKey& key, std::string body,
                                  const Remember& remember) {
  auto created = worker.cluster().Create(resource, key.ns, std::move(body));
  if (!created && created.error().code == ErrorCode::kAlreadyExists) {
    // Ours from before a crash or a lost answer, or another's: the marks decide.
    created = worker.cluster().Get(resource, key);
    if (!created && created.error().code == ErrorCode::kNotFound)
      return Fail(ErrorCode::kConflict, "the object that was in the way does not exist any more");
  }
  if (!created) return Fail(std::move(created).error());
  return remember(*created);
}

Result<void> WorkerWrites::Conclude(Execution& execution, const Worker& worker,
                                    const kube::Resource& resource, std::string_view what,
                                    Result<bool> created) {
  const std::string& name = worker.name().value;
  if (!created && IsRefusal(created.error().code)) {
    return Refused(execution, worker.name(), RefusalReason(created.error().code),
                   fmt::format("{} refused the {}: {}", name, what, created.error().message));
  }
  if (!created) return Fail(std::move(created).error());
  if (*created) return {};
  return Refused(
      execution, worker.name(), verdict::ReasonCode::kNameConflict,
      fmt::format("a {} of the same name that is not ours exists on {}", resource.kind, name));
}

Result<void> WorkerWrites::Refused(Execution& execution, const ClusterName& cluster,
                                   verdict::ReasonCode code, std::string message) {
  const placement::RefusalRecord refusal =
      placement::RefusalOf(cluster, code, message, clock_.Now());
  FEDRA_RETURN_IF_ERROR(bookkeeping_.Do(execution, refusal.failure));
  FEDRA_RETURN_IF_ERROR(bookkeeping_.Do(execution, refusal.note));
  return Fail(ErrorCode::kConflict, std::move(message));
}

// The worker must have every template before its Kueue sees the clone. A refusal is remembered, and
// the workload is judged again at once.
Result<void> WorkerWrites::ProvideTemplates(Execution& execution, Worker& worker) {
  // As it was gathered: what we have written since does not say all that it asks for.
  Result<void> provided = templates_.Provide(worker, *execution.gathered.view.workload);
  if (provided || !IsRefusal(provided.error().code)) return provided;
  std::string message = fmt::format("{} refused a copy of a ResourceClaimTemplate: {}",
                                    worker.name().value, provided.error().message);
  FEDRA_RETURN_IF_ERROR(bookkeeping_.Do(
      execution, placement::Note{placement::notes::kDispatchFailed.name, worker.name(), message}));
  return Fail(ErrorCode::kConflict, std::move(message));
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::CreateClone& action) {
  FEDRA_RETURN_IF_ERROR(ProvideTemplates(execution, execution.WorkerOf(action.cluster)));
  return Conclude(execution, action, Send(execution, action));
}

bool WorkerWrites::MaySend(const Execution& execution) const {
  return !execution.gathered.view.kueue_copies && !templates_.Copies() &&
         !bookkeeping_.HasFailedNomination(execution);
}

WorkerWrites::Sent WorkerWrites::Send(const Execution& seen, const placement::CreateClone& action) {
  Worker& worker = seen.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  const tracking::Workload& workload = *seen.workload;
  FEDRA_ASSIGN_OR_RETURN(
      std::string body,
      tracking::CloneBody(workload, Us(), NameOf(seen.View(action.cluster).runs_by)));
  Sent sent =
      Create(worker, tracking::kWorkloads, workload.key, std::move(body),
             [&](const std::string& text) -> Result<bool> {
               FEDRA_ASSIGN_OR_RETURN(auto clone, ParseWritten(text, &tracking::ParseClone));
               if (!IsOf(workload, clone->marks)) return false;
               worker.objects().clones().own().Wrote(std::move(clone));
               return true;
             });
  CrashPoint("copy-made");
  telemetry_.Dispatched(action.cluster, !sent   ? ToString(sent.error().code)
                                        : *sent ? "ok"
                                                : ToString(ErrorCode::kConflict));
  return sent;
}

Result<void> WorkerWrites::Conclude(Execution& execution, const placement::CreateClone& action,
                                    Sent sent) {
  CrashPoint("after-create-clone");
  return Conclude(execution, execution.WorkerOf(action.cluster), tracking::kWorkloads, "copy",
                  std::move(sent));
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::CreateJob& action) {
  if (execution.job == nullptr || execution.gathered.adapter == nullptr)
    return Fail(ErrorCode::kConflict, "the job does not exist any more");
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  for (const tracking::JobPtr& local :
       tracking::MissingOf(execution.job, execution.View(action.cluster).job))
    FEDRA_RETURN_IF_ERROR(CreateObject(execution, worker, *local));
  return {};
}

Result<void> WorkerWrites::CreateObject(Execution& execution, Worker& worker,
                                        const tracking::Job& local) {
  const tracking::JobAdapter& adapter = *local.kind;
  const tracking::Workload& workload = *execution.workload;
  FEDRA_ASSIGN_OR_RETURN(std::string body, adapter.RemoteBody(local, workload, Us()));
  Result<bool> created = Create(
      worker, adapter.resource(), local.key, std::move(body),
      [&](const std::string& text) -> Result<bool> {
        FEDRA_ASSIGN_OR_RETURN(auto copy, ParseWritten(text, adapter));
        if (!IsOf(workload, copy->marks)) return false;
        if (local.member != nullptr &&
            (copy->member == nullptr || copy->member->copy_of != local.uid))
          return Fail(ErrorCode::kConflict, "the copy of the pod that it replaces is still there");
        worker.objects().jobs(adapter).own().Wrote(std::move(copy));
        return true;
      });
  CrashPoint("after-create-job");
  return Conclude(execution, worker, adapter.resource(), "job", std::move(created));
}

Result<void> WorkerWrites::GiveOwner(Worker& worker, const tracking::Workload& clone,
                                     const tracking::Job& copy) {
  if (clone.owner.uid == copy.uid) return {};
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         worker.cluster().MergePatch(tracking::kWorkloads, clone.key,
                                                     tracking::OwnerPatch(clone, copy)));
  FEDRA_ASSIGN_OR_RETURN(auto owned, ParseWritten(text, &tracking::ParseClone));
  worker.objects().clones().own().Changed(std::move(owned));
  return {};
}

Result<void> WorkerWrites::GiveQueue(Worker& worker, const tracking::Job& copy,
                                     const std::string& queue) {
  if (copy.queued) return {};
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         worker.cluster().MergePatch(copy.kind->resource(), copy.key,
                                                     tracking::QueuePatch(copy, queue)));
  FEDRA_ASSIGN_OR_RETURN(auto queued, ParseWritten(text, *copy.kind));
  worker.objects().jobs(*copy.kind).own().Changed(std::move(queued));
  return {};
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::AdoptClone& action) {
  const ClusterView& view = execution.View(action.cluster);
  if (!placement::HasOwnClone(view) || !placement::HasOwnJob(view)) return {};
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  Result<void> result = GiveOwner(worker, *view.clone, *view.job);
  CrashPoint("after-give-owner");
  if (result) result = GiveQueue(worker, *view.job, execution.workload->requirement.queue);
  if (result || !IsRefusal(result.error().code)) return result;
  return Refused(execution, worker.name(), RefusalReason(result.error().code),
                 fmt::format("{} refused to make the copy the job's Workload: {}",
                             worker.name().value, result.error().message));
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::SetClonePriority& action) {
  const ClusterView& view = execution.View(action.cluster);
  if (!placement::HasOwnClone(view)) return {};
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  FEDRA_ASSIGN_OR_RETURN(
      const std::string text,
      worker.cluster().MergePatch(tracking::kWorkloads, view.clone->key,
                                  tracking::PriorityPatch(*execution.workload, *view.clone)));
  FEDRA_ASSIGN_OR_RETURN(auto clone, ParseWritten(text, &tracking::ParseClone));
  worker.objects().clones().own().Changed(std::move(clone));
  return {};
}

// Of an elastic job lists are patched, which a merge patch carries whole, and the cache does not
// keep them. What has changed since it was looked at, and by that what another fedra has written
// that leads by now, is looked at again.
Result<std::optional<std::string>> WorkerWrites::PatchOfCopy(const Execution& execution,
                                                             Worker& worker,
                                                             const tracking::Job& copy) const {
  if (execution.workload->slice == nullptr) return copy.kind->FollowPatch(copy, *execution.job);
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         worker.cluster().Get(copy.kind->resource(), copy.key));
  const nlohmann::json there = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json& metadata = tracking::Member(there, "metadata");
  if (tracking::Text(metadata, "uid") != copy.uid ||
      tracking::Text(metadata, "resourceVersion") != copy.version.value)
    return Fail(ErrorCode::kConflict, "the copy has changed since it was looked at");
  FEDRA_ASSIGN_OR_RETURN(std::string patch,
                         tracking::SlicePatch(there, *execution.job, *execution.workload, Us()));
  return std::optional(std::move(patch));
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::UpdateClone& action) {
  const ClusterView& view = execution.View(action.cluster);
  if (!placement::HasOwnClone(view)) return {};
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  FEDRA_ASSIGN_OR_RETURN(std::string patch, tracking::ClonePatch(*execution.workload, *view.clone,
                                                                 NameOf(view.runs_by)));
  FEDRA_ASSIGN_OR_RETURN(
      const std::string text,
      worker.cluster().MergePatch(tracking::kWorkloads, view.clone->key, std::move(patch)));
  FEDRA_ASSIGN_OR_RETURN(auto clone, ParseWritten(text, &tracking::ParseClone));
  worker.objects().clones().own().Changed(std::move(clone));
  return {};
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::UpdateCopy& action) {
  const ClusterView& view = execution.View(action.cluster);
  if (!placement::HasOwnJob(view) || execution.job == nullptr) return {};
  const tracking::Job& copy = *view.job;
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  FEDRA_ASSIGN_OR_RETURN(std::optional<std::string> patch, PatchOfCopy(execution, worker, copy));
  if (!patch) return {};
  const auto text = worker.cluster().MergePatch(copy.kind->resource(), copy.key, *std::move(patch));
  // The job runs on as it was, so the worker is not left for it. It is asked again, and people
  // know.
  if (!text && IsRefusal(text.error().code)) {
    FEDRA_RETURN_IF_ERROR(bookkeeping_.Do(
        execution, placement::Note{placement::notes::kDispatchFailed.name,
                                   worker.name(),
                                   fmt::format("{} refused to change the copy, which runs on as it "
                                               "was: {}",
                                               worker.name().value, text.error().message),
                                   {worker.name().value}}));
  }
  if (!text) return Fail(text.error());
  FEDRA_ASSIGN_OR_RETURN(auto updated, ParseWritten(*text, *copy.kind));
  worker.objects().jobs(*copy.kind).own().Changed(std::move(updated));
  return {};
}

// One that fails, for its pod has changed, say, does not keep the others there.
Result<void> WorkerWrites::DeleteObjects(Worker& worker, const ClusterView& view,
                                         const std::vector<tracking::JobPtr>& copies,
                                         bool as_seen) {
  if (!tracking::IsOurs(view.job_is)) return {};
  Result<void> outcome;
  for (const tracking::JobPtr& copy : copies) {
    if (!tracking::IsToBeRemoved(*copy)) continue;
    const Result<void> removed =
        RemoveJob(worker.cluster(), *copy, as_seen ? copy->version : ResourceVersion());
    if (removed) {
      worker.objects().jobs(*copy->kind).own().Deleted(copy->key, copy->uid);
    } else if (outcome) {
      outcome = removed;
    }
  }
  return outcome;
}

Result<void> WorkerWrites::Do(Execution& execution, const placement::RemoveSurplus& action) {
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  const ClusterView& view = execution.View(action.cluster);
  return DeleteObjects(worker, view, tracking::SurplusOf(execution.job, view.job),
                       /*as_seen=*/true);
}

Result<void> WorkerWrites::DeleteClone(Worker& worker, const ClusterView& view, bool as_seen) {
  if (view.clone == nullptr || !tracking::IsOurs(view.clone_is)) return {};
  const tracking::Workload& clone = *view.clone;
  FEDRA_RETURN_IF_ERROR(
      RemoveClone(worker.cluster(), clone, as_seen ? clone.version : ResourceVersion()));
  worker.objects().clones().own().Deleted(clone.key, clone.uid);
  return {};
}

// The job goes first: its pods must not outlive the quota. Kueue there then finishes the clone with
// OwnerNotFound, which is no result of the job and never copied to the manager.
Result<void> WorkerWrites::Do(Execution& execution, const placement::DeleteRemote& action) {
  Worker& worker = execution.WorkerOf(action.cluster);
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  const ClusterView& view = execution.View(action.cluster);
  const bool stops = StopsJob(view);
  const bool as_seen = !IsOver(execution.gathered.view.workload.get());
  FEDRA_RETURN_IF_ERROR(DeleteObjects(worker, view, tracking::ObjectsOf(view.job), as_seen));
  CrashPoint("after-delete-job");
  if (stops) {
    FEDRA_RETURN_IF_ERROR(
        bookkeeping_.Do(execution, placement::Note{placement::notes::kStoppedOnWorker.name,
                                                   action.cluster, StopMessage(action, view)}));
  }
  FEDRA_RETURN_IF_ERROR(DeleteClone(worker, view, as_seen));
  if (action.end)
    bookkeeping_.EndAttempt(execution, action.cluster, ToString(*action.end), action.message);
  bookkeeping_.ClearResidue(execution, action.cluster);
  return {};
}

// What the job has printed goes into the store alone: neither into fedra's log nor into Events.
Result<void> WorkerWrites::Do(Execution& execution, const placement::KeepLog& action) {
  constexpr size_t kMaxLog = 4096;
  Worker& worker = execution.WorkerOf(action.cluster);
  const ClusterView& view = execution.View(action.cluster);
  const verify::DeviceState* devices = worker.objects().devices();
  if (devices == nullptr || view.job == nullptr) return {};
  const auto failed = devices->pods().FailedContainerOf(tracking::KeyOf(*view.job));
  if (!failed || !bookkeeping_.WantsLog(execution)) return {};
  // Later, then: what comes next deletes the pods, and must not overtake this.
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(action.cluster));
  const auto log = worker.cluster().PodLog(failed->pod, failed->name, action.lines, kMaxLog);
  const std::string whose =
      fmt::format("container {} of pod {}", failed->name, failed->pod.ToString());
  bookkeeping_.KeepLog(
      execution, action.cluster,
      log ? fmt::format("last lines of {}:\n{}", whose, *log)
          : fmt::format("the log of {} could not be read: {}", whose, log.error().message));
  return {};
}

}  // namespace fedra::reconcile
