// The adapter of batch/v1 Job. Behaviour as Kueue's own adapter has it
// (pkg/controller/jobs/job/job_multikueue_adapter.go of Kueue 0.19.2), except that
// ttlSecondsAfterFinished is not copied: a worker must not delete a result before it has been
// mirrored.

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cluster-clients/kube/json_text.h"
#include "manager/tracking/copy_metadata.h"
#include "manager/tracking/job.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
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

bool HasTrueCondition(const json& status, std::string_view type) {
  return ConditionStatus(status, type) == "True";
}

// An API server lets a Job that is not suspended change its start only in the write that takes the
// condition Suspended from True to False (batch strategy.go of Kubernetes 1.36.3).
bool KeepsStart(const Job& local, const json& before, const json& after) {
  const bool resumes =
      HasTrueCondition(before, "Suspended") && ConditionStatus(after, "Suspended") == "False";
  return !local.suspended && !resumes && before.contains("startTime");
}

std::string PrebuiltWorkload(const json& metadata) {
  // Kueue 0.18 and newer write an annotation, older ones a label.
  std::string name = Text(Member(metadata, "annotations"), kPrebuiltWorkload);
  return name.empty() ? Text(Member(metadata, "labels"), kPrebuiltWorkload) : name;
}

// More than anybody selects jobs by.
constexpr size_t kMaxLabels = 64;

std::string LabelsOf(const json& metadata) {
  json labels = json::object();
  const json& given = Member(metadata, "labels");
  if (!given.is_object()) return Dump(labels);
  for (const auto& [name, value] : given.items())
    if (value.is_string() && labels.size() < kMaxLabels) labels[name] = value;
  return Dump(labels);
}

json StatusOf(const Job& job) {
  // Only this part is read: it is looked at on every event of a running job.
  const auto text = job.text == nullptr ? std::nullopt : kube::FindMember(*job.text, "status");
  json status = json::parse(text.value_or("{}"), nullptr, false);
  return status.is_object() ? status : json::object();
}

std::string StatusPatchBody(const Job& local, json status) {
  return Dump(json{{"metadata", {{"resourceVersion", local.version.value}}},
                   {"status", std::move(status)}});
}

// The merge patch from `from` to `to`, one level deep: every field of a Job's status is replaced as
// a whole. (RFC 7396 cannot remove inside lists, and nested maps such as uncountedTerminatedPods
// must lose their old members.)
json MergeDifference(const json& from, const json& to) {
  json patch = json::object();
  for (const auto& [name, value] : to.items()) {
    if (!from.contains(name) || from[name] != value) patch[name] = value;
    if (value.is_object() && patch.contains(name) && from.contains(name) &&
        from[name].is_object()) {
      for (const auto& [inner, unused] : from[name].items()) {
        if (!value.contains(inner)) patch[name][inner] = nullptr;
      }
    }
  }
  for (const auto& [name, unused] : from.items()) {
    if (!to.contains(name)) patch[name] = nullptr;
  }
  return patch;
}

// What a worker says goes to the manager's etcd: as much of it as a Job needs, whatever it sends.
constexpr size_t kMaxConditions = 20;
constexpr size_t kMaxConditionText = 4096;
// The counted indexes of a large indexed Job are some hundred kB (Kubernetes 1.36 allows 100,000).
constexpr size_t kMaxStatus = 512 * 1024;

json Bounded(json status) {
  if (json& conditions = status["conditions"]; conditions.is_array()) {
    auto& list = conditions.get_ref<json::array_t&>();
    if (list.size() > kMaxConditions) list.resize(kMaxConditions);
    for (json& condition : list) {
      for (const char* field : {"reason", "message"}) {
        if (const std::string text = Text(condition, field); text.size() > kMaxConditionText)
          condition[field] = Cut(text, kMaxConditionText);
      }
    }
  }
  if (status["conditions"].is_null()) status.erase("conditions");
  if (Dump(status).size() <= kMaxStatus) return status;
  json rest = json::object();
  for (const char* field : {"conditions", "startTime", "completionTime", "active", "ready",
                            "terminating", "succeeded", "failed"}) {
    const auto found = status.find(field);
    if (found != status.end()) rest[field] = std::move(*found);
  }
  return Dump(rest).size() <= kMaxStatus ? rest : json::object();
}

// The worker's status as the manager's Job can take it. What an API server never lets go back
// (batch strategy.go and validation.go of Kubernetes 1.36.3) may stand there since an earlier
// worker: counts of pods only grow, the start of a job that runs stays (the worker may have stopped
// it and started it again unseen), and a decision that is not final yet is left out, so that
// another worker may come to another one.
json StatusToMirror(const Job& job, const json& local, const Job& remote) {
  json status = Bounded(StatusOf(remote));
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
}

// Kueue counts no more pods than there are completions left.
Result<int> CountPods(const json& spec) {
  FEDRA_ASSIGN_OR_RETURN(const int parallelism, ReadNumber(spec, "parallelism", 1));
  FEDRA_ASSIGN_OR_RETURN(const int completions, ReadNumber(spec, "completions", parallelism));
  return std::min(parallelism, completions);
}

Result<Job> ParseBatchJob(const json& object) {
  const json& metadata = Member(object, "metadata");
  const json& spec = Member(object, "spec");
  const json& status = Member(object, "status");
  Job job;
  job.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  job.uid = Text(metadata, "uid");
  if (job.key.name.empty() || job.uid.empty())
    return Fail(ErrorCode::kBadResponse, "a Job without name or uid");
  job.version = ResourceVersion(Text(metadata, "resourceVersion"));
  job.created = Time(metadata, "creationTimestamp");
  job.deleting = metadata.contains("deletionTimestamp");
  job.marks = ReadCopyMarks(metadata);
  job.prebuilt_workload = PrebuiltWorkload(metadata);
  job.managed_by = Text(spec, "managedBy");
  FEDRA_ASSIGN_OR_RETURN(job.suspended, ReadFlag(spec, "suspend", false));
  job.failed = HasTrueCondition(status, "Failed");
  job.finished = job.failed || HasTrueCondition(status, "Complete");
  job.active_pods = Number(status, "active", 0);
  for (const char* field : kActivity) job.shows_activity |= Number(status, field, 0) > 0;
  if (job.managed_by == kManagedBy) {  // never on a copy
    job.text = std::make_shared<const std::string>(Dump(object));
    job.labels_json = LabelsOf(metadata);
  } else if (!job.marks.origin.empty()) {
    job.text = std::make_shared<const std::string>(Dump(json{{"status", status}}));
  }
  return job;
}

class BatchJob final : public JobAdapter {
 public:
  const kube::Resource& resource() const override { return resource_; }

  Parser parser() const override { return &ParseBatchJob; }

  std::vector<PodTemplate> PodTemplates(const json& spec) const override {
    return {{"main", CountPods(spec), &Member(spec, "template")}};
  }

  Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                 const Identity& us) const override {
    if (local.text == nullptr) return Fail(ErrorCode::kInternal, "the job's text was not kept");
    const json source = json::parse(*local.text, nullptr, false);
    json metadata = CopyMetadata(source, local.key, workload.uid, us);
    metadata["annotations"][std::string(kPrebuiltWorkload)] = workload.key.name;
    json spec = Member(source, "spec");
    if (!spec.is_object()) return Fail(ErrorCode::kInternal, "the job's spec was not kept");
    DropControllerFields(spec);
    // Its Kueue resumes the job after adopting the clone; a job that started by itself would escape
    // admission.
    spec["suspend"] = true;
    return Dump(json{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"metadata", std::move(metadata)},
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

 private:
  const kube::Resource resource_{"batch", "v1", "jobs", "Job", true};
};

}  // namespace

const JobAdapter& BatchJobAdapter() {
  static const BatchJob adapter;
  return adapter;
}

}  // namespace fedra::tracking
