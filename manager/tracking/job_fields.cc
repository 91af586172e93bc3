#include "manager/tracking/job_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cluster-clients/kube/json_text.h"
#include "manager/tracking/copy_metadata.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// More than users select jobs by.
constexpr size_t kMaxLabels = 64;

constexpr size_t kMaxLabel = 63;  // of a value

constexpr size_t kMaxConditions = 20;
constexpr size_t kMaxConditionText = 4096;
// The counted indexes of a large indexed Job are some hundred kB (Kubernetes 1.36 allows 100,000).
constexpr size_t kMaxStatus = 512 * 1024;

constexpr std::array<std::string_view, 3> kPodLabelsOfKueue = {
    kPodSetLabel, "kueue.x-k8s.io/local-queue-name", "kueue.x-k8s.io/cluster-queue-name"};
constexpr const char* kPodAnnotationOfKueue = "kueue.x-k8s.io/workload";

std::string LabelsOf(const json& metadata) {
  json labels = json::object();
  const json& given = Member(metadata, "labels");
  if (!given.is_object()) return Dump(labels);
  for (const auto& [name, value] : given.items())
    if (value.is_string() && labels.size() < kMaxLabels) labels[name] = value;
  return Dump(labels);
}

std::string PrebuiltWorkload(const json& metadata) {
  // Kueue 0.18 and newer write an annotation, older ones a label (PrebuiltLabel()).
  const json& annotations = Member(metadata, "annotations");
  std::string name = Text(annotations, kPrebuiltWorkload);
  if (name.empty()) name = Text(Member(metadata, "labels"), kPrebuiltWorkload);
  return name.empty() ? Text(annotations, kWorkloadAnnotation) : name;
}

bool IsControlled(const json& metadata) {
  const json& owners = Member(metadata, "ownerReferences");
  return owners.is_array() && std::any_of(owners.begin(), owners.end(), [](const json& owner) {
           const json& controller = Member(owner, "controller");
           return controller.is_boolean() && controller.get<bool>();
         });
}

void BoundConditions(json& status) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end()) return;
  if (conditions->is_null()) {
    status.erase(conditions);
    return;
  }
  if (!conditions->is_array()) return;
  auto& list = conditions->get_ref<json::array_t&>();
  if (list.size() > kMaxConditions) list.resize(kMaxConditions);
  for (json& condition : list) {
    for (const char* field : {"reason", "message"}) {
      if (const std::string text = Text(condition, field); text.size() > kMaxConditionText)
        condition[field] = Cut(text, kMaxConditionText);
    }
  }
}

}  // namespace

bool HasTrueCondition(const json& status, std::string_view type) {
  return Text(ConditionOf(status, type), "status") == "True";
}

Result<Job> ReadJobMetadata(const json& object, const JobAdapter& kind) {
  const json& metadata = Member(object, "metadata");
  Job job;
  job.kind = &kind;
  job.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  job.uid = Text(metadata, "uid");
  if (job.key.name.empty() || job.uid.empty())
    return Fail(ErrorCode::kBadResponse,
                fmt::format("a {} without name or uid", kind.resource().kind));
  job.version = ResourceVersion(Text(metadata, "resourceVersion"));
  job.created = Time(metadata, "creationTimestamp");
  job.deleting = metadata.contains("deletionTimestamp");
  job.queued = !Text(Member(metadata, "labels"), kQueueNameLabel).empty();
  // Operators give what they make the labels and annotations of what they make it for: KubeRay a
  // RayJob's RayCluster (constructRayClusterForRayJob in rayjob_controller.go of KubeRay 1.6). What
  // a controller owns is not ours.
  if (IsControlled(metadata)) return job;
  job.marks = ReadCopyMarks(metadata);
  job.prebuilt_workload = PrebuiltWorkload(metadata);
  job.marks.workload = job.prebuilt_workload;
  return job;
}

void KeepText(const json& object, Job& job) {
  if (job.managed_by == kManagedBy) {  // never on a copy
    job.text = std::make_shared<const std::string>(Dump(object));
    job.labels_json = LabelsOf(Member(object, "metadata"));
  } else if (IsCopy(job.marks)) {
    // Not by way of a json with this in it, which would be a copy.
    job.text = std::make_shared<const std::string>(
        fmt::format(R"({{"status":{}}})", Dump(Member(object, "status"))));
  }
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

json MergeDifference(const json& from, const json& to) {
  json patch = json::object();
  for (const auto& [name, value] : to.items()) {
    const auto known = from.find(name);
    const bool is_known = known != from.end() && !known->is_null();
    if (value.is_null()) {  // as good as absent, and never to be written again and again
      if (is_known) patch[name] = nullptr;
    } else if (is_known && known->is_object() && value.is_object()) {
      if (json inner = MergeDifference(*known, value); !inner.empty())
        patch[name] = std::move(inner);
    } else if (!is_known || *known != value) {
      patch[name] = value;
    }
  }
  for (const auto& [name, value] : from.items()) {
    if (!value.is_null() && !to.contains(name)) patch[name] = nullptr;
  }
  return patch;
}

json BoundedStatus(json status, std::span<const std::string> essential) {
  BoundConditions(status);
  if (Dump(status).size() <= kMaxStatus) return status;
  json rest = json::object();
  for (const std::string& field : essential) {
    const auto found = status.find(field);
    if (found != status.end()) rest[field] = std::move(*found);
  }
  return Dump(rest).size() <= kMaxStatus ? rest : json::object();
}

json PrebuiltLabel(const std::string& workload) {
  return workload.size() <= kMaxLabel ? json(workload) : json();
}

json RemoteMetadata(const json& source, const Job& local, const Workload& workload,
                    const Identity& us) {
  json metadata = CopyMetadata(source, local.key, workload.uid, us);
  json& annotations = metadata["annotations"];
  annotations[std::string(kPrebuiltWorkload)] = workload.key.name;
  metadata["labels"].erase(std::string(kPrebuiltWorkload));  // a user's names another
  if (json label = PrebuiltLabel(workload.key.name); !label.is_null())
    metadata["labels"][std::string(kPrebuiltWorkload)] = std::move(label);
  for (const std::string_view mark : {kStopping, kAdmissionGatedBy})
    annotations.erase(std::string(mark));
  return metadata;
}

void DropKueueMarks(json& pod_template) {
  const auto metadata = pod_template.find("metadata");
  if (metadata == pod_template.end() || !metadata->is_object()) return;
  if (const auto labels = metadata->find("labels");
      labels != metadata->end() && labels->is_object()) {
    for (const std::string_view label : kPodLabelsOfKueue) labels->erase(std::string(label));
  }
  if (const auto annotations = metadata->find("annotations");
      annotations != metadata->end() && annotations->is_object())
    annotations->erase(kPodAnnotationOfKueue);
}

}  // namespace fedra::tracking
