// The adapter of batch/v1 Job. Behaviour as Kueue's own adapter has it
// (pkg/controller/jobs/job/job_multikueue_adapter.go of Kueue 0.19.2), except that
// ttlSecondsAfterFinished is not copied: a worker must not delete a result before it has been
// mirrored.

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/elastic.h"
#include "manager/tracking/job.h"
#include "manager/tracking/job_fields.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/pod_set.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// The job controller's labels on pods: the worker's controller sets its own.
constexpr std::array kControllerLabels = {"controller-uid", "batch.kubernetes.io/controller-uid",
                                          "job-name", "batch.kubernetes.io/job-name"};
// Status fields that Kueue reads as "pods still exist".
constexpr std::array kActivity = {"active", "ready", "terminating"};

// "True", "False", ...; empty without one.
std::string ConditionStatus(const json& status, std::string_view type) {
  return Text(ConditionOf(status, type), "status");
}

// An API server lets a Job that is not suspended change its start only in the write that takes the
// condition Suspended from True to False (batch strategy.go of Kubernetes 1.36.3).
bool KeepsStart(const Job& local, const json& before, const json& after) {
  const bool resumes =
      HasTrueCondition(before, "Suspended") && ConditionStatus(after, "Suspended") == "False";
  return !local.suspended && !resumes && before.contains("startTime");
}

// What of a status stays when all of it is too much.
const std::vector<std::string>& EssentialStatus() {
  static const std::vector<std::string> fields = {"conditions", "startTime", "completionTime",
                                                  "active",     "ready",     "terminating",
                                                  "succeeded",  "failed"};
  return fields;
}

// The worker's status as the manager's Job can take it. What an API server never lets go back
// (batch strategy.go and validation.go of Kubernetes 1.36.3) may stand there since an earlier
// worker: counts of pods only grow, the start of a job that runs stays (the worker may have stopped
// it and started it again unseen), and a decision that is not final yet is left out, so that
// another worker may come to another one.
json StatusToMirror(const Job& job, const json& local, const Job& remote) {
  json status = BoundedStatus(StatusOf(remote), EssentialStatus());
  if (KeepsStart(job, local, status)) {
    const std::string start = Text(local, "startTime");
    status["startTime"] = start;
    // RFC 3339 in UTC: the worker's clock may have been set back between two starts.
    if (status.contains("completionTime") && Text(status, "completionTime") < start)
      status["completionTime"] = start;
  }
  for (const char* count : {"succeeded", "failed"}) {
    const int known = Number(local, count, 0);
    if (known > Number(status, count, 0)) status[count] = known;
  }
  json& conditions = status["conditions"];
  if (!remote.finished && conditions.is_array()) {
    std::erase_if(conditions.get_ref<json::array_t&>(), [](const json& condition) {
      const std::string type = Text(condition, "type");
      return type == "SuccessCriteriaMet" || type == "FailureTarget";
    });
  }
  if (conditions.empty()) status.erase("conditions");
  return status;
}

void DropControllerFields(json& spec) {
  spec.erase("managedBy");
  spec.erase("selector");
  spec.erase("manualSelector");
  spec.erase("ttlSecondsAfterFinished");
  json& pod_metadata = spec["template"]["metadata"];
  if (!pod_metadata.is_object()) pod_metadata = json::object();
  json& labels = pod_metadata["labels"];
  if (!labels.is_object()) labels = json::object();
  for (const char* label : kControllerLabels) labels.erase(label);
  pod_metadata.erase("creationTimestamp");
  DropKueueMarks(spec["template"]);
}

// Kueue counts no more pods than there are completions left.
Result<int> CountPods(const json& spec) {
  FEDRA_ASSIGN_OR_RETURN(const int parallelism, ReadNumber(spec, "parallelism", 1));
  FEDRA_ASSIGN_OR_RETURN(const int completions, ReadNumber(spec, "completions", parallelism));
  return std::min(parallelism, completions);
}

// As elastic.h says.
Result<void> SetSize(const Workload& workload, json& spec) {
  if (workload.slice == nullptr || workload.slice->pod_counts.size() != 1) return {};
  FEDRA_ASSIGN_OR_RETURN(const int pods, CountPods(spec));
  const int wanted = workload.slice->pod_counts.front();
  if (pods != wanted) spec["parallelism"] = wanted;
  return {};
}

class BatchJob final : public JobAdapter {
 public:
  BatchJob() : JobAdapter({"batch", "v1", "jobs", "Job"}) {}

  Result<Job> Parse(const json& object) const override {
    const json& spec = Member(object, "spec");
    const json& status = Member(object, "status");
    FEDRA_ASSIGN_OR_RETURN(Job job, ReadJobMetadata(object, *this));
    job.managed_by = ManagedBy(object);
    FEDRA_ASSIGN_OR_RETURN(job.suspended, ReadFlag(spec, "suspend", false));
    job.failed = HasTrueCondition(status, "Failed");
    job.finished = job.failed || HasTrueCondition(status, "Complete");
    job.active_pods = Number(status, "active", 0);
    for (const char* field : kActivity) job.shows_activity |= Number(status, field, 0) > 0;
    if (IsElastic(Member(object, "metadata")))
      ReadSize(PodTemplates(object), Member(spec, "parallelism"), job);
    KeepText(object, job);
    return job;
  }

  bool scales() const override { return true; }
  void Scale(const json& local, json& copy) const override {
    copy["spec"]["parallelism"] = Member(Member(local, "spec"), "parallelism");
  }

  std::string own_controller() const override { return "kubernetes.io/job-controller"; }
  std::string ManagedBy(const json& object) const override {
    return Text(Member(object, "spec"), "managedBy");
  }

  std::vector<PodTemplate> PodTemplates(const json& object) const override {
    const json& spec = Member(object, "spec");
    return {{"main", CountPods(spec), &Member(spec, "template")}};
  }

  PodLabel pod_label() const override { return {"batch.kubernetes.io/job-name"}; }

  Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                 const Identity& us) const override {
    if (local.text == nullptr) return Fail(ErrorCode::kInternal, "the job's text was not kept");
    const json source = json::parse(*local.text, nullptr, false);
    json spec = Member(source, "spec");
    if (!spec.is_object()) return Fail(ErrorCode::kInternal, "the job's spec was not kept");
    DropControllerFields(spec);
    FEDRA_RETURN_IF_ERROR(SetSize(workload, spec));
    // Its Kueue resumes the job after adopting the clone; a job that started by itself would escape
    // admission.
    spec["suspend"] = true;
    return Dump(json{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"metadata", RemoteMetadata(source, local, workload, us)},
                     {"spec", std::move(spec)}});
  }

  std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const override {
    // A running status on a suspended Job would block later changes of its spec, and API servers
    // of 1.36 refuse it: wait until Kueue on the manager has resumed the Job.
    if (local.suspended && !remote.suspended && !remote.finished) return std::nullopt;
    if (local.finished) return std::nullopt;  // a finished Job's status is immutable
    const json known = StatusOf(local);
    json patch = MergeDifference(known, StatusToMirror(local, known, remote));
    if (patch.empty()) return std::nullopt;
    return StatusPatchBody(local, std::move(patch));
  }

  std::optional<std::string> ClearActivityPatch(const Job& local) const override {
    if (!local.shows_activity || local.finished) return std::nullopt;
    json status = json::object();
    for (const char* field : kActivity) status[field] = nullptr;
    return StatusPatchBody(local, std::move(status));
  }
};

}  // namespace

const JobAdapter& BatchJobAdapter() {
  static const BatchJob adapter;
  return adapter;
}

}  // namespace fedra::tracking
