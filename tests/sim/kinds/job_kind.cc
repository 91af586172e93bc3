#include "tests/sim/kinds/job_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/kinds/app_wrapper.h"
#include "tests/sim/kinds/external_kinds.h"
#include "tests/sim/kinds/leader_worker_set.h"
#include "tests/sim/kinds/pod.h"
#include "tests/sim/kinds/spark_application.h"
#include "tests/sim/kinds/stateful_set.h"
#include "tests/sim/kinds/train_job.h"

namespace fedra::sim {
namespace {

using Roles = std::vector<std::pair<std::string, std::string>>;  // key in the spec, pod set

// Kueue writes the names of pod sets in lower case.
Json PodSet(std::string name, int64_t count, const Json& pod_template) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Json pod_set = {{"name", name}, {"count", count}, {"template", pod_template}};
  for (const char* how : {"required", "preferred"}) {
    const std::string annotation = fmt::format("kueue.x-k8s.io/podset-{}-topology", how);
    const std::string_view level = StringAt(pod_template, {"metadata", "annotations", annotation});
    if (!level.empty()) pod_set["topologyRequest"][how] = level;
  }
  return pod_set;
}

// Ends with one of two conditions.
std::function<std::optional<JobEnd>(const Json&)> EndsBy(const std::string& success,
                                                         const std::string& failure) {
  return [=](const Json& status) -> std::optional<JobEnd> {
    for (const std::string& type : {success, failure}) {
      if (!IsTrue(status, type)) continue;
      return JobEnd{type == success,
                    std::string(StringAt(*FindCondition(status, type), {"message"}))};
    }
    return std::nullopt;
  };
}

std::function<void(bool, Json&)> FinishBy(const std::string& success, const std::string& failure,
                                          const std::string& counts) {
  return [=](bool succeeded, Json& status) {
    status.erase(counts);
    SetCondition(status, {succeeded ? success : failure, true, "Simulated", "all pods ended"}, 0);
  };
}

bool AnyActive(const Json& counts) {
  return std::any_of(counts.begin(), counts.end(),
                     [](const Json& count) { return IntAt(count, {"active"}) > 0; });
}

Json BatchPodSets(const Json& job) {
  Json pod_template = job["spec"]["template"];
  if (pod_template.contains("metadata") && pod_template["metadata"].contains("labels")) {
    for (const char* label : {"job-name", "controller-uid", "batch.kubernetes.io/controller-uid"}) {
      pod_template["metadata"]["labels"].erase(label);
    }
  }
  const int64_t parallelism = IntAt(job, {"spec", "parallelism"}, 1);
  const int64_t completions = IntAt(job, {"spec", "completions"}, parallelism);
  return Json::array({PodSet("main", std::min(parallelism, completions), pod_template)});
}

JobKind BatchJob() {
  JobKind kind{"batch",
               "v1",
               "jobs",
               "Job",
               {"spec", "managedBy"},
               {"spec", "suspend"},
               "kubernetes.io/job-controller",
               {},
               {},
               {},
               {},
               {},
               {},
               {},
               {}};
  kind.pod_sets = &BatchPodSets;
  kind.templates = [](Json& job) { return std::vector<Json*>{&job["spec"]["template"]}; };
  kind.active = [](const Json& status) { return IntAt(status, {"active"}) != 0; };
  kind.end = EndsBy("Complete", "Failed");
  return kind;
}

Json JobSetPodSets(const Json& job) {
  Json pod_sets = Json::array();
  for (const Json& part : ArrayAt(job, {"spec", "replicatedJobs"})) {
    const int64_t parallelism = IntAt(part, {"template", "spec", "parallelism"}, 1);
    const int64_t completions = IntAt(part, {"template", "spec", "completions"}, parallelism);
    pod_sets.push_back(PodSet(part["name"],
                              IntAt(part, {"replicas"}, 1) * std::min(parallelism, completions),
                              part["template"]["spec"]["template"]));
  }
  return pod_sets;
}

JobKind JobSet() {
  JobKind kind{"jobset.x-k8s.io",
               "v1alpha2",
               "jobsets",
               "JobSet",
               {"spec", "managedBy"},
               {"spec", "suspend"},
               "jobset.sigs.k8s.io/jobset-controller",
               {},
               {},
               {},
               {},
               {},
               {},
               {},
               {}};
  kind.pod_sets = &JobSetPodSets;
  kind.templates = [](Json& job) {
    std::vector<Json*> templates;
    for (Json& part : job["spec"]["replicatedJobs"])
      templates.push_back(&part["template"]["spec"]["template"]);
    return templates;
  };
  kind.active = [](const Json& status) {
    return AnyActive(ArrayAt(status, {"replicatedJobsStatus"}));
  };
  kind.end = EndsBy("Completed", "Failed");
  kind.run = [](const Json& pod_sets, Json& status) {
    Json& list = status["replicatedJobsStatus"] = Json::array();
    for (const Json& pod_set : pod_sets) {
      list.push_back({{"name", pod_set["name"]},
                      {"active", pod_set["count"]},
                      {"ready", 0},
                      {"succeeded", 0},
                      {"failed", 0},
                      {"suspended", 0}});
    }
    SetCondition(status, {"Suspended", false, "ResumeJobs", "jobset is resumed"}, 0);
  };
  kind.finish = FinishBy("Completed", "Failed", "replicatedJobsStatus");
  kind.stop = [](Json& status) {
    status.erase("replicatedJobsStatus");
    SetCondition(status, {"Suspended", true, "SuspendedJobs", "jobset is suspended"}, 0);
  };
  return kind;
}

JobKind WithReplicas(const std::string& version, const std::string& plural, const std::string& name,
                     const std::string& controller, const std::string& replicas, Roles roles) {
  JobKind kind{"kubeflow.org",
               version,
               plural,
               name,
               {"spec", "runPolicy", "managedBy"},
               {"spec", "runPolicy", "suspend"},
               controller,
               {},
               {},
               {},
               {},
               {},
               {},
               {},
               {}};
  kind.templates = [replicas, roles](Json& job) {
    std::vector<Json*> templates;
    for (const auto& [key, pod_set] : roles) {
      if (At(job, {"spec", replicas, key}) != nullptr)
        templates.push_back(&job["spec"][replicas][key]["template"]);
    }
    return templates;
  };
  kind.pod_sets = [replicas, roles = std::move(roles)](const Json& job) {
    Json pod_sets = Json::array();
    for (const auto& [key, pod_set] : roles) {
      const Json* role = At(job, {"spec", replicas, key});
      if (role != nullptr)
        pod_sets.push_back(PodSet(pod_set, IntAt(*role, {"replicas"}, 1), (*role)["template"]));
    }
    return pod_sets;
  };
  kind.active = [](const Json& status) {
    const Json* counts = At(status, {"replicaStatuses"});
    return counts != nullptr && AnyActive(*counts);
  };
  kind.end = EndsBy("Succeeded", "Failed");
  kind.run = [](const Json& pod_sets, Json& status) {
    for (const Json& pod_set : pod_sets)
      status["replicaStatuses"][pod_set["name"].get<std::string>()]["active"] = pod_set["count"];
    SetCondition(status, {"Running", true, "JobRunning", "the job is running"}, 0);
  };
  kind.finish = FinishBy("Succeeded", "Failed", "replicaStatuses");
  kind.stop = [](Json& status) {
    status.erase("replicaStatuses");
    SetCondition(status, {"Suspended", true, "JobSuspended", "the job is suspended"}, 0);
  };
  return kind;
}

JobKind OfTrainingOperator(const std::string& plural, const std::string& name,
                           const std::string& replicas, Roles roles) {
  return WithReplicas("v1", plural, name, "kubeflow.org/training-operator", replicas,
                      std::move(roles));
}

// As training-operator 1.9 and Kueue 0.19 treat it.
JobKind JaxJob() {
  JobKind kind = OfTrainingOperator("jaxjobs", "JAXJob", "jaxReplicaSpecs", {{"Worker", "worker"}});
  kind.refuses_prebuilt = true;
  kind.ignores_managed_by = true;
  return kind;
}

// Of the spec of a RayCluster, at `cluster` in the job.
Json RayPodSets(const Json& cluster) {
  Json pod_sets = Json::array({PodSet("head", 1, cluster["headGroupSpec"]["template"])});
  for (const Json& group : ArrayAt(cluster, {"workerGroupSpecs"})) {
    pod_sets.push_back(PodSet(group["groupName"],
                              IntAt(group, {"replicas"}, 1) * IntAt(group, {"numOfHosts"}, 1),
                              group["template"]));
  }
  return pod_sets;
}

std::vector<Json*> RayTemplates(Json& cluster) {
  std::vector<Json*> templates = {&cluster["headGroupSpec"]["template"]};
  for (Json& group : Make(cluster, {"workerGroupSpecs"})) templates.push_back(&group["template"]);
  return templates;
}

bool HasSubmitter(const Json& ray_job) {
  return StringAt(ray_job, {"spec", "submissionMode"}) == "K8sJobMode";
}

// The job's own, or Kueue's.
Json SubmitterTemplate(const Json& ray_job) {
  const Json* own = At(ray_job, {"spec", "submitterPodTemplate"});
  if (own != nullptr) return *own;
  const Json& containers = ArrayAt(
      ray_job, {"spec", "rayClusterSpec", "headGroupSpec", "template", "spec", "containers"});
  const Json image = containers.empty() ? Json("none") : containers[0]["image"];
  const Json requests = {{"cpu", "500m"}, {"memory", "200Mi"}};
  return {{"spec",
           {{"restartPolicy", "Never"},
            {"containers",
             {{{"name", "ray-job-submitter"},
               {"image", image},
               {"resources", {{"requests", requests}}}}}}}}};
}

std::optional<JobEnd> NeverEnds(const Json&) { return std::nullopt; }

JobKind OfRay(const std::string& plural, const std::string& name) {
  return {"ray.io",
          "v1",
          plural,
          name,
          {"spec", "managedBy"},
          {"spec", "suspend"},
          "ray.io/kuberay-operator",
          {},
          {},
          {},
          {},
          {},
          {},
          {},
          {}};
}

JobKind RayCluster() {
  JobKind kind = OfRay("rayclusters", "RayCluster");
  kind.pod_sets = [](const Json& job) { return RayPodSets(job["spec"]); };
  kind.templates = [](Json& job) { return RayTemplates(job["spec"]); };
  kind.active = [](const Json& status) { return StringAt(status, {"state"}) == "ready"; };
  kind.end = &NeverEnds;
  kind.run = [](const Json&, Json& status) { status["state"] = "ready"; };
  kind.finish = [](bool, Json&) {};
  kind.stop = [](Json& status) { status["state"] = "suspended"; };
  return kind;
}

JobKind RayJob() {
  JobKind kind = OfRay("rayjobs", "RayJob");
  // Without a cluster of its own it runs on another's, and Kueue makes nothing of it.
  kind.pod_sets = [](const Json& job) {
    const Json* cluster = At(job, {"spec", "rayClusterSpec"});
    if (cluster == nullptr) return Json(Json::array());
    Json pod_sets = RayPodSets(*cluster);
    if (HasSubmitter(job)) pod_sets.push_back(PodSet("submitter", 1, SubmitterTemplate(job)));
    return pod_sets;
  };
  kind.templates = [](Json& job) {
    if (At(job, {"spec", "rayClusterSpec"}) == nullptr) return std::vector<Json*>();
    std::vector<Json*> templates = RayTemplates(job["spec"]["rayClusterSpec"]);
    if (HasSubmitter(job)) {
      job["spec"]["submitterPodTemplate"] = SubmitterTemplate(job);
      templates.push_back(&job["spec"]["submitterPodTemplate"]);
    }
    return templates;
  };
  kind.active = [](const Json& status) {
    const std::string_view state = StringAt(status, {"jobDeploymentStatus"});
    return !state.empty() && state != "Suspended";
  };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const std::string_view state = StringAt(status, {"jobDeploymentStatus"});
    if (state != "Complete" && state != "Failed") return std::nullopt;
    return JobEnd{StringAt(status, {"jobStatus"}) == "SUCCEEDED",
                  std::string(StringAt(status, {"message"}))};
  };
  kind.run = [](const Json&, Json& status) {
    status["jobDeploymentStatus"] = "Running";
    status["jobStatus"] = "RUNNING";
    status["rayClusterStatus"]["state"] = "ready";
  };
  kind.finish = [](bool success, Json& status) {
    status["jobDeploymentStatus"] = success ? "Complete" : "Failed";
    status["jobStatus"] = success ? "SUCCEEDED" : "FAILED";
  };
  kind.stop = [](Json& status) {
    status = {{"jobDeploymentStatus", "Suspended"}, {"jobStatus", ""}};
  };
  kind.refuse = [](Json& status) {
    status = {{"jobDeploymentStatus", "ValidationFailed"}, {"message", "the spec is invalid"}};
  };
  kind.begin = [](Json& status) { status = {{"jobDeploymentStatus", "Initializing"}}; };
  kind.on_hold = [](const Json& status) {
    return StringAt(status, {"jobDeploymentStatus"}) == "ValidationFailed";
  };
  return kind;
}

JobKind RayService() {
  JobKind kind = OfRay("rayservices", "RayService");
  kind.suspend = {"spec", "rayClusterConfig", "suspend"};
  kind.pod_sets = [](const Json& job) { return RayPodSets(job["spec"]["rayClusterConfig"]); };
  kind.templates = [](Json& job) { return RayTemplates(job["spec"]["rayClusterConfig"]); };
  kind.active = [](const Json& status) { return IsTrue(status, "Ready"); };
  kind.end = &NeverEnds;
  kind.run = [](const Json&, Json& status) {
    SetCondition(status, {"Ready", true, "NonZeroServeEndpoints", "it serves"}, 0);
  };
  kind.finish = [](bool, Json&) {};
  kind.stop = [](Json& status) {
    SetCondition(status, {"Ready", false, "Suspended", "it does not serve"}, 0);
  };
  return kind;
}

}  // namespace

const std::vector<JobKind>& JobKinds() {
  static const std::vector<JobKind> kinds = {
      BatchJob(),
      JobSet(),
      WithReplicas("v2beta1", "mpijobs", "MPIJob", "kubeflow.org/mpi-operator", "mpiReplicaSpecs",
                   {{"Launcher", "launcher"}, {"Worker", "worker"}}),
      OfTrainingOperator("tfjobs", "TFJob", "tfReplicaSpecs",
                         {{"Chief", "chief"}, {"PS", "ps"}, {"Worker", "worker"}}),
      OfTrainingOperator("pytorchjobs", "PyTorchJob", "pytorchReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      OfTrainingOperator("xgboostjobs", "XGBoostJob", "xgbReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      OfTrainingOperator("paddlejobs", "PaddleJob", "paddleReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      JaxJob(),
      RayCluster(),
      RayJob(),
      RayService(),
      TrainJob(),
      AppWrapper(),
      SparkApplication(),
      Pod(),
      StatefulSet(),
      LeaderWorkerSet(),
      PipelineRun(),
      TrainingRun()};
  return kinds;
}

namespace {

const Json* Follow(const Json& job, const std::vector<std::string>& path) {
  const Json* place = &job;
  for (const std::string& step : path) {
    place = At(*place, {step});
    if (place == nullptr) return nullptr;
  }
  return place;
}

Json& Reach(Json& job, const std::vector<std::string>& path) {
  Json* place = &job;
  for (const std::string& step : path) place = &(*place)[step];
  return *place;
}

}  // namespace

namespace {

// Where below its spec a kind of Ray has the spec of a RayCluster; empty: it is one.
std::string ClusterField(const JobKind& kind) {
  if (kind.kind == "RayJob") return "rayClusterSpec";
  return kind.kind == "RayService" ? "rayClusterConfig" : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Problems(const JobKind& kind, const Json& job) {
  std::vector<std::pair<std::string, std::string>> problems;
  if (kind.kind == "TrainJob") return TrainJobProblems(job);
  for (const char* place : {"annotations", "labels"}) {
    if (kind.refuses_prebuilt &&
        At(job, {"metadata", place, "kueue.x-k8s.io/prebuilt-workload-name"}) != nullptr) {
      problems.emplace_back(
          std::string("metadata.") + place + "[kueue.x-k8s.io/prebuilt-workload-name]",
          "Is not supported for \"" + kind.group + "/" + kind.version + ", Kind=" + kind.kind +
              "\"");
    }
  }
  if (kind.group != "ray.io") return problems;
  const std::string field = ClusterField(kind);
  const Json* cluster = field.empty() ? At(job, {"spec"}) : At(job, {"spec", field});
  if (cluster == nullptr) return problems;
  // The webhook writes the field as null, which the CRD forbids.
  for (const Json& group : ArrayAt(*cluster, {"workerGroupSpecs"})) {
    if (At(group, {"rayStartParams"}) == nullptr)
      problems.emplace_back("spec.workerGroupSpecs.rayStartParams", "must be of type object");
  }
  if (kind.kind == "RayJob" && !BoolAt(job, {"spec", "shutdownAfterJobFinishes"})) {
    problems.emplace_back("spec.shutdownAfterJobFinishes",
                          "a kueue managed job should delete the cluster after finishing");
  }
  return problems;
}

void SetKindDefaults(const JobKind& kind, Json& job) {
  if (kind.kind == "TrainJob" && ManagedBy(kind, job).empty())
    SetManagedBy(kind, kind.controller, job);
  if (kind.group != "ray.io" || At(job, {"spec"}) == nullptr) return;
  Json& spec = job["spec"];
  if (kind.kind == "RayJob") {
    if (!spec.contains("submissionMode")) spec["submissionMode"] = "K8sJobMode";
    if (!spec.contains("ttlSecondsAfterFinished")) spec["ttlSecondsAfterFinished"] = 0;
  }
  Json* cluster = &spec;
  if (!ClusterField(kind).empty()) {
    if (!spec.contains(ClusterField(kind))) return;
    cluster = &spec[ClusterField(kind)];
  }
  if (!cluster->contains("workerGroupSpecs")) return;
  for (Json& group : (*cluster)["workerGroupSpecs"]) {
    if (!group.contains("replicas")) group["replicas"] = 0;
    if (!group.contains("numOfHosts")) group["numOfHosts"] = 1;
  }
}

bool IsSuspended(const JobKind& kind, const Json& job) {
  if (!kind.gate.empty()) return IsGated(job, kind.gate);
  const Json* value = Follow(job, kind.suspend);
  return value != nullptr && *value == kind.suspended;
}

bool IsStopped(const JobKind& kind, const Json& job) {
  const Json* value = kind.stopped.is_null() ? nullptr : Follow(job, kind.suspend);
  return value != nullptr && *value == kind.stopped;
}

void Stop(const JobKind& kind, Json& job) {
  if (kind.stopped.is_null()) return SetSuspended(kind, true, job);
  Reach(job, kind.suspend) = kind.stopped;
}

void SetSuspended(const JobKind& kind, bool suspended, Json& job) {
  if (!kind.gate.empty()) return SetGate(suspended, kind.gate, job);
  if (suspended)
    Reach(job, kind.suspend) = kind.suspended;
  else
    Reach(job, kind.suspend) = kind.suspended.is_boolean() ? Json(false) : Json("");
}

std::string ManagedBy(const JobKind& kind, const Json& job) {
  if (kind.managed_by.empty()) return {};
  const Json* value = Follow(job, kind.managed_by);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

void SetManagedBy(const JobKind& kind, std::string_view value, Json& job) {
  if (kind.managed_by.empty()) return;
  Reach(job, kind.managed_by) = value;
}

}  // namespace fedra::sim
