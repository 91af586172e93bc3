// What Kueue's job reconciler does with jobs of every kind:
// pkg/controller/jobframework/reconciler.go of 0.19.2.

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tests/sim/kinds/pod_sets.h"
#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {
namespace {

constexpr size_t kMaxName = 253;
constexpr size_t kHashLength = 5;
constexpr size_t kMostPodSets = 18;  // spec.podSets of the CRD; the creation of one with more fails
constexpr const char* kJobManager = "kueue";

// Kueue compares what matters for quota: counts, containers, tolerations.
bool SamePodSets(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  const auto same = [](const Json& left, const Json& right, Path path) {
    const Json* x = At(left, path);
    const Json* y = At(right, path);
    return (x == nullptr) == (y == nullptr) && (x == nullptr || *x == *y);
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i], {"count"}) || !same(a[i], b[i], {"template", "spec", "containers"}) ||
        !same(a[i], b[i], {"template", "spec", "initContainers"}) ||
        !same(a[i], b[i], {"template", "spec", "tolerations"})) {
      return false;
    }
  }
  return true;
}

// The labels that Kueue writes into a pod template of an admitted job.
std::array<std::pair<std::string_view, std::string_view>, 3> StartLabels(const Json& workload,
                                                                         const Json& pod_set) {
  return {{{names::kPodSet, StringAt(pod_set, {"name"})},
           {names::kLocalQueue, StringAt(workload, {"spec", "queueName"})},
           {names::kClusterQueue, StringAt(workload, {"status", "admission", "clusterQueue"})}}};
}

// OwnedBySinglePod of pkg/workload/workload.go.
bool IsOfOnePod(const Json& workload) {
  const Json& owners = ArrayAt(workload, {"metadata", "ownerReferences"});
  return owners.size() == 1 && StringAt(owners[0], {"kind"}) == "Pod" && !IsGroupWorkload(workload);
}

void RestoreTemplates(const JobKind& kind, const Object& workload, Json& job) {
  const std::vector<Json*> templates = kind.templates(job);
  const Json& pod_sets = ArrayAt(workload.body, {"spec", "podSets"});
  for (size_t i = 0; i < templates.size() && i < pod_sets.size(); ++i) {
    Json& labels = Make(*templates[i], {"metadata", "labels"});
    for (const auto& [label, value] : StartLabels(workload.body, pod_sets[i])) {
      labels.erase(std::string(label));
      const Json* before = At(pod_sets[i], {"template", "metadata", "labels", label});
      if (before != nullptr) labels[std::string(label)] = *before;
    }
    if (labels.empty()) (*templates[i])["metadata"].erase("labels");
    if ((*templates[i])["metadata"].empty()) templates[i]->erase("metadata");
  }
}

}  // namespace

std::string QueueNameOf(const Json& job) {
  return std::string(StringAt(job, {"metadata", "labels", names::kQueueLabel}));
}

std::string WorkloadNameOf(const JobKind& kind, const Json& job, const std::string& part) {
  std::string name(StringAt(job, {"metadata", "name"}));
  if (!part.empty()) name += "-" + part;
  const std::string_view origin = StringAt(job, {"metadata", "annotations", names::kOriginUid});
  const std::string_view uid =
      kind.has_group && !origin.empty() ? origin : StringAt(job, {"metadata", "uid"});
  std::string text = fmt::format("{}\n{}\n{}\n{}", kind.kind, kind.group, name, uid);
  if (IsElastic(job)) text += fmt::format("\n{}", IntAt(job, {"metadata", "generation"}));
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hash;
  for (int i = 0; i < 3; ++i) hash += fmt::format("{:02x}", digest[i]);
  std::string prefix = kind.kind + "-" + name;
  std::transform(prefix.begin(), prefix.end(), prefix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return prefix.substr(0, kMaxName - 1 - kHashLength) + "-" + hash.substr(0, kHashLength);
}

std::string KueueController::PrebuiltNameOf(const Json& job) const {
  // tekton-kueue is built with Kueue 0.16, which knows the label alone.
  const bool reads_annotation =
      options_.identifier_annotations && StringAt(job, {"kind"}) != "PipelineRun";
  const std::string_view annotation = StringAt(job, {"metadata", "annotations", names::kPrebuilt});
  if (reads_annotation && !annotation.empty()) return std::string(annotation);
  return std::string(StringAt(job, {"metadata", "labels", names::kPrebuilt}));
}

void KueueController::ReconcileJob(Store& store, const Place& place, const JobKind& kind) {
  Object* job = store.Find(*place.type, place.key);
  if (job == nullptr) return;
  if (const std::string group = kind.gate.empty() ? "" : GroupNameOf(job->body); !group.empty())
    return ReconcileGroup(store, *place.type, {place.key.ns, group});
  if (Terminating(job->body)) {
    for (const Place& child :
         store.Dependents(std::string(StringAt(job->body, {"metadata", "uid"})))) {
      Enqueue(child);
    }
    return;
  }
  if (QueueNameOf(job->body).empty()) return;
  if (kind.parts) return ReconcileParts(store, place, kind);
  Object* workload = EnsureWorkload(store, place, *job);
  const bool prebuilt = !PrebuiltNameOf(job->body).empty();
  if (workload == nullptr) {
    if (prebuilt) StopJob(store, place, *job, nullptr);
    if (!prebuilt && !kind.active(StatusOf(*job)) && !kind.end(StatusOf(*job))) {
      CreateWorkload(store, place, *job);
    }
    return;
  }
  const ObjectKey key{place.key.ns, std::string(StringAt(workload->body, {"metadata", "name"}))};
  const Place workload_place{&workloads_, key};
  if (Finished(StatusOf(*workload))) return RemoveFinalizer(store, workload_place, *workload);
  if (Terminating(workload->body)) {
    StopJob(store, place, *job, workload);
    return RemoveFinalizer(store, workload_place, *workload);
  }
  if (kind.on_hold && kind.on_hold(StatusOf(*job))) {
    if (!QuotaReserved(StatusOf(*workload))) return;
    Json status = StatusOf(*workload);
    UnsetQuota(status, "OnHold", "Job is on hold",
               IntAt(workload->body, {"metadata", "generation"}));
    return WriteStatus(store, workload_place, *workload, std::move(status));
  }
  if (const auto end = kind.end(StatusOf(*job))) {
    Json status = StatusOf(*workload);
    Finish(status, end->success ? "Succeeded" : "Failed", end->message,
           IntAt(workload->body, {"metadata", "generation"}));
    return WriteStatus(store, workload_place, *workload, std::move(status));
  }
  if (Evicted(StatusOf(*workload))) return HandleEvicted(store, place, *job, *workload);
  if (IsSuspended(kind, job->body)) {
    if (Admitted(StatusOf(*workload))) StartJob(store, place, *job, *workload);
  } else if (!Admitted(StatusOf(*workload)) && !IsElastic(job->body)) {
    StopJob(store, place, *job, workload);
  }
}

// priorityClassRef and priority by the job's label. Without the class nothing is known of it; a
// Workload that has no class keeps none while it holds quota.
void KueueController::FollowPriority(const Store& store, const Object& job, Json& spec) const {
  const std::string name(StringAt(job.body, {"metadata", "labels", names::kPriorityLabel}));
  const Object* found = name.empty() ? nullptr : store.Find(priority_classes_, {"", name});
  if (found == nullptr) return;
  spec["priorityClassRef"] = {
      {"group", "kueue.x-k8s.io"}, {"kind", "WorkloadPriorityClass"}, {"name", name}};
  spec["priority"] = IntAt(found->body, {"value"});
}

Object* KueueController::EnsureWorkload(Store& store, const Place& job_place, Object& job) {
  const JobKind& kind = *KindOf(job_place.type);
  const std::string prebuilt = PrebuiltNameOf(job.body);
  if (kind.has_group) return FindGroupWorkload(store, job_place, job);
  if (!prebuilt.empty()) {
    return AdoptPrebuilt(store, job_place, job, {job_place.key.ns, prebuilt});
  }
  if (IsElastic(job.body)) return EnsureSlice(store, job_place, job);
  const ObjectKey key = WorkloadKeyOf(store, job_place, job);
  Object* workload = store.Find(workloads_, key);
  if (workload == nullptr || Terminating(workload->body) || Finished(StatusOf(*workload))) {
    return workload;
  }
  if (workload->body["spec"].contains("priorityClassRef")) {
    Json spec = workload->body["spec"];
    FollowPriority(store, job, spec);
    if (spec != workload->body["spec"]) {
      workload->body["spec"] = std::move(spec);
      store.Touch(workloads_, key, *workload);
    }
  }
  Json pod_sets = PodSetsOf(store, core().registry, kind, job.body);
  if (pod_sets.empty()) return workload;
  if (SamePodSets(pod_sets, ArrayAt(workload->body, {"spec", "podSets"}))) return workload;
  if (IsSuspended(kind, job.body) && !QuotaReserved(StatusOf(*workload))) {
    workload->body["spec"]["podSets"] = std::move(pod_sets);
    workload->body["metadata"]["generation"] =
        IntAt(workload->body, {"metadata", "generation"}) + 1;
    store.Touch(workloads_, key, *workload);
    return workload;
  }
  StopJob(store, job_place, job, workload);
  RemoveFinalizer(store, {&workloads_, key}, *workload);
  (void)verbs().Delete(store, {.type = workloads_,
                               .key = key,
                               .uid = {},
                               .resource_version = {},
                               .propagation = "Background"});
  return nullptr;
}

Object* KueueController::AdoptPrebuilt(Store& store, const Place& job_place, Object& job,
                                       const ObjectKey& key) {
  Object* workload = store.Find(workloads_, key);
  if (workload == nullptr) return nullptr;
  const Json uid = job.body["metadata"]["uid"];
  const Json* controller = ControllerOf(workload->body);
  if (controller != nullptr && StringAt(*controller, {"uid"}) != uid.get<std::string>()) {
    return nullptr;
  }
  if (controller == nullptr) {
    Json& metadata = workload->body["metadata"];
    metadata["ownerReferences"].push_back(JobReference(*KindOf(job_place.type), job));
    metadata["labels"][std::string(names::kJobUid)] = uid;
    store.Touch(workloads_, key, *workload);
  }
  if (Finished(StatusOf(*workload)) || Terminating(workload->body)) return workload;
  if (IsElastic(job.body) && !ReplacedBy(workload->body).empty()) return workload;
  const Json pod_sets = PodSetsOf(store, core().registry, *KindOf(job_place.type), job.body);
  if (pod_sets.empty()) return nullptr;
  if (SamePodSets(pod_sets, ArrayAt(workload->body, {"spec", "podSets"}))) {
    return workload;
  }
  Json status = StatusOf(*workload);
  Finish(status, "OutOfSync", "The prebuilt workload is out of sync with its user job",
         IntAt(workload->body, {"metadata", "generation"}));
  WriteStatus(store, {&workloads_, key}, *workload, std::move(status));
  return nullptr;
}

void KueueController::CreateWorkload(Store& store, const Place& job_place, const Object& job,
                                     const std::string& part, const Object* replaced) {
  const JobKind& kind = *KindOf(job_place.type);
  const std::string ns(StringAt(job.body, {"metadata", "namespace"}));
  const Json pod_sets = PodSetsOf(store, core().registry, kind, job.body);
  if (pod_sets.empty() || pod_sets.size() > kMostPodSets) return;
  Json body = {{"apiVersion", workloads_.ApiVersion()},
               {"kind", "Workload"},
               {"metadata",
                {{"name", WorkloadNameOf(kind, job.body, part)},
                 {"labels", {{names::kJobUid, job.body["metadata"]["uid"]}}},
                 {"finalizers", {names::kFinalizer}},
                 {"ownerReferences", {JobReference(kind, job)}}}},
               {"spec",
                {{"queueName", QueueNameOf(job.body)},
                 {"podSets", pod_sets},
                 {"priority", 0},
                 {"active", true}}}};
  if (kind.has_group) body["metadata"]["annotations"] = GroupAnnotations(kind, job);
  if (!part.empty()) body["metadata"]["annotations"][std::string(names::kComponentIndex)] = part;
  if (IsElastic(job.body)) MarkSlice(replaced, body["metadata"]);
  FollowPriority(store, job, body["spec"]);
  (void)verbs().Create(
      store, {.type = workloads_, .key = {ns, ""}, .subresource = {}, .manager = kJobManager},
      std::move(body));
}

// The Job is stopped; quota is given back when its status shows no activity any more. On a manager
// that status is what the federation mirrored: until it mirrors the end of the activity, the
// Workload keeps its quota.
void KueueController::HandleEvicted(Store& store, const Place& job_place, Object& job,
                                    Object& workload) {
  const bool deletes =
      !KindOf(job_place.type)->gate.empty() && !IsSuspended(*KindOf(job_place.type), job.body);
  StopJob(store, job_place, job, &workload);
  if (deletes) return;  // and with it goes its Workload
  if (!QuotaReserved(StatusOf(workload)) || KindOf(job_place.type)->active(StatusOf(job))) return;
  ReleaseEvicted(store,
                 {job_place.key.ns, std::string(StringAt(workload.body, {"metadata", "name"}))},
                 workload);
}

void KueueController::ReleaseEvicted(Store& store, const ObjectKey& key, Object& workload) {
  Json status = StatusOf(workload);
  const Json evicted = *FindCondition(status, "Evicted");
  const std::string reason = evicted["reason"];
  const std::string message = evicted["message"];
  const int64_t generation = IntAt(workload.body, {"metadata", "generation"});
  // The gate SkipReassignmentForPodOwnedWorkloads, which is on in 0.19.
  const bool requeue =
      (reason == "Preempted" || reason == "NodeFailures") && !IsOfOnePod(workload.body);
  SetCondition(status, {"Requeued", requeue, reason, message}, generation);
  UnsetQuota(status, "Pending", message, generation);
  WriteStatus(store, {&workloads_, key}, workload, std::move(status));
}

// RunWithPodSetsInfo: labels go into the pod templates; one that is there with another value, from
// another cluster for example, ends the Workload.
void KueueController::StartJob(Store& store, const Place& place, Object& job, Object& workload) {
  const JobKind& kind = *KindOf(place.type);
  Json body = job.body;
  const std::vector<Json*> templates = kind.templates(body);
  const Json& pod_sets = ArrayAt(workload.body, {"spec", "podSets"});
  for (size_t i = 0; i < templates.size() && i < pod_sets.size(); ++i) {
    for (const auto& [label, value] : StartLabels(workload.body, pod_sets[i])) {
      Json& place_of_label = Make(*templates[i], {"metadata", "labels", label});
      if (!place_of_label.is_null() && place_of_label != std::string(value)) {
        Json status = StatusOf(workload);
        Finish(status, "FailedToStart",
               fmt::format("invalid admission check PodSetUpdate: conflict for labels: conflict "
                           "for key={}, value1={}, value2={}",
                           label, place_of_label.get<std::string>(), value),
               IntAt(workload.body, {"metadata", "generation"}));
        const ObjectKey key{place.key.ns,
                            std::string(StringAt(workload.body, {"metadata", "name"}))};
        return WriteStatus(store, {&workloads_, key}, workload, std::move(status));
      }
      place_of_label = value;
    }
  }
  job.body = std::move(body);
  SetSuspended(kind, false, job.body);
  job.body["metadata"]["generation"] = IntAt(job.body, {"metadata", "generation"}) + 1;
  store.Touch(*place.type, place.key, job);
}

void KueueController::StopJob(Store& store, const Place& place, Object& job,
                              const Object* workload) {
  const JobKind& kind = *KindOf(place.type);
  const bool running = !IsSuspended(kind, job.body);
  if (running && !kind.gate.empty()) {
    if (kind.end(StatusOf(job))) return;
    return StopPod(store, place, workload);
  }
  // Of a batch/v1 Job Kueue resets the start.
  const bool started = kind.group == "batch" && At(job.body, {"status", "startTime"}) != nullptr;
  if ((!running && !started) || IsStopped(kind, job.body)) return;
  if (kind.end(StatusOf(job))) return;
  if (running) {
    Stop(kind, job.body);
    if (workload != nullptr) RestoreTemplates(kind, *workload, job.body);
    job.body["metadata"]["generation"] = IntAt(job.body, {"metadata", "generation"}) + 1;
  }
  if (started) job.body["status"].erase("startTime");
  store.Touch(*place.type, place.key, job);
}

void KueueController::RemoveFinalizer(Store& store, const Place& place, Object& workload) {
  const auto finalizers = workload.body["metadata"].find("finalizers");
  if (finalizers == workload.body["metadata"].end()) return;
  const auto found = std::find(finalizers->begin(), finalizers->end(), names::kFinalizer);
  if (found == finalizers->end()) return;
  finalizers->erase(found);
  const bool gone = finalizers->empty() && Terminating(workload.body);
  if (finalizers->empty()) workload.body["metadata"].erase("finalizers");
  store.Touch(workloads_, place.key, workload);
  if (gone) store.Remove(workloads_, place.key);
}

}  // namespace fedra::sim
