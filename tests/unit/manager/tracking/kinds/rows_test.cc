// Every row of the table, on objects as their users and operators write them.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kinds/submitted.h"
#include "tests/support/catch.h"

namespace fedra::tracking::rows_test {

using nlohmann::json;

namespace {

constexpr const char* kPod =
    R"({"metadata": {"labels": {"app": "x", "kueue.x-k8s.io/podset": "main"}},
  "spec": {"containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
           "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}})";

// The pod template stands where `$` does.
json Spec(std::string text) {
  for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at))
    text.replace(at, 1, kPod);
  return json::parse(text);
}

struct Row {
  const char* api_version;
  const char* kind;
  const char* spec;
  const char* pod_sets;    // "name=count ..."
  const char* managed_by;  // null: it has no such field
  const char* suspend;
  const char* running;    // a status in which it is active
  int active_pods;        // in that
  const char* cleared;    // what is patched into that
  const char* succeeded;  // null: it has no end
  const char* failed;
  bool only_its_end = false;  // is mirrored
};

const Row kRows[] = {
    {"jobset.x-k8s.io/v1alpha2", "JobSet",
     R"({"ttlSecondsAfterFinished": 10, "replicatedJobs": [
       {"name": "Driver", "template": {"spec": {"template": $}}},
       {"name": "workers", "replicas": 3, "template": {"spec": {"parallelism": 4, "completions": 2, "template": $}}}]})",
     "driver=1 workers=6", "/spec/managedBy", "/spec/suspend",
     R"({"replicatedJobsStatus": [{"name": "driver", "active": 1}, {"name": "workers", "active": 3}]})",
     4, R"({"replicatedJobsStatus": []})",
     R"({"conditions": [{"type": "Completed", "status": "True"}]})",
     R"({"conditions": [{"type": "Completed", "status": "False"}, {"type": "Failed", "status": "True"}]})"},
    {"kubeflow.org/v2beta1", "MPIJob",
     R"({"runPolicy": {"ttlSecondsAfterFinished": 10}, "mpiReplicaSpecs": {"Worker": {"replicas": 8, "template": $},
         "Launcher": {"template": $}}})",
     "launcher=1 worker=8", "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"Launcher": {"active": 1}, "Worker": {"active": 8}}})", 9,
     R"({"replicaStatuses": null})", R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"kubeflow.org/v1", "TFJob",
     R"({"tfReplicaSpecs": {"Worker": {"replicas": 2, "template": $}, "PS": {"template": $},
         "Chief": {"template": $}}})",
     "chief=1 ps=1 worker=2", "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"PS": {"active": 1}}})", 1, R"({"replicaStatuses": null})",
     R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"kubeflow.org/v1", "PyTorchJob",
     R"({"pytorchReplicaSpecs": {"Master": {"template": $}, "Worker": {"replicas": 3, "template": $}}})",
     "master=1 worker=3", "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"Worker": {"active": 3}}})", 3, R"({"replicaStatuses": null})",
     R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"kubeflow.org/v1", "XGBoostJob", R"({"xgbReplicaSpecs": {"Master": {"template": $}}})",
     "master=1", "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"Master": {"active": 1}}})", 1, R"({"replicaStatuses": null})",
     R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"kubeflow.org/v1", "PaddleJob",
     R"({"paddleReplicaSpecs": {"Worker": {"replicas": 0, "template": $}}})", "worker=0",
     "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"Worker": {"active": 1}}})", 1, R"({"replicaStatuses": null})",
     R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"ray.io/v1", "RayCluster",
     R"({"headGroupSpec": {"template": $}, "workerGroupSpecs": [
         {"groupName": "Small", "replicas": 2, "numOfHosts": 4, "template": $}, {"groupName": "big", "template": $}]})",
     "head=1 small=8 big=0", "/spec/managedBy", "/spec/suspend", R"({"state": "ready"})", 0,
     R"({"state": "suspended", "readyWorkerReplicas": 0, "availableWorkerReplicas": 0})", nullptr,
     nullptr},
    {"ray.io/v1", "RayJob",
     R"({"ttlSecondsAfterFinished": 10, "submissionMode": "K8sJobMode", "submitterPodTemplate": $, "rayClusterSpec": {
         "headGroupSpec": {"template": $}, "workerGroupSpecs": [{"groupName": "w", "replicas": 2, "template": $}]}})",
     "head=1 w=2 submitter=1", "/spec/managedBy", "/spec/suspend",
     R"({"jobDeploymentStatus": "Initializing"})", 0,
     R"({"jobDeploymentStatus": "Suspended", "jobStatus": "", "jobId": "", "rayClusterName": "",
         "rayClusterStatus": null})",
     R"({"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"})",
     R"({"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED"})"},
    {"ray.io/v1", "RayService", R"({"rayClusterConfig": {"headGroupSpec": {"template": $}}})",
     "head=1", "/spec/managedBy", "/spec/rayClusterConfig/suspend",
     R"({"conditions": [{"type": "Ready", "status": "True", "reason": "x"}]})", 0,
     R"({"conditions": [{"type": "Ready", "status": "False", "reason": "Evicted"}]})", nullptr,
     nullptr},
    {"kubeflow.org/v1", "JAXJob",
     R"({"runPolicy": {"ttlSecondsAfterFinished": 10},
         "jaxReplicaSpecs": {"Worker": {"replicas": 4, "template": $}}})",
     "worker=4", "/spec/runPolicy/managedBy", "/spec/runPolicy/suspend",
     R"({"replicaStatuses": {"Worker": {"active": 4}}})", 4, R"({"replicaStatuses": null})",
     R"({"conditions": [{"type": "Succeeded", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})", /*only_its_end=*/true},
    {"trainer.kubeflow.org/v1alpha1", "TrainJob",
     R"({"runtimeRef": {"name": "torch"}, "trainer": {"numNodes": 2},
         "runtimePatches": [{"manager": "kueue.x-k8s.io/manager"}, {"manager": "example.com/me"}]})",
     "", "/spec/managedBy", "/spec/suspend",
     R"({"jobsStatus": [{"name": "node", "active": 1}, {"name": "launcher", "active": 1}]})", 2,
     R"({"jobsStatus": []})", R"({"conditions": [{"type": "Complete", "status": "True"}]})",
     R"({"conditions": [{"type": "Failed", "status": "True"}]})"},
    {"sparkoperator.k8s.io/v1beta2", "SparkApplication",
     R"({"timeToLiveSeconds": 10, "type": "Python", "mode": "cluster",
         "driver": {"memory": "2g", "template": {"spec": {"containers": [{"name": "c"}],
           "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}},
         "executor": {"instances": 3, "cores": 4, "template": {"spec": {
           "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}}})",
     "driver=1 executor=3", nullptr, "/spec/suspend",
     R"({"driverInfo": {"podName": "train-driver"}, "applicationState": {"state": "RUNNING"}})", 0,
     R"({"applicationState": {"state": "SUSPENDED"}})",
     R"({"driverInfo": {}, "applicationState": {"state": "COMPLETED"}})",
     R"({"driverInfo": {}, "applicationState": {"state": "SUBMISSION_FAILED", "errorMessage": "x"}})",
     /*only_its_end=*/true},
    {"workload.codeflare.dev/v1beta2", "AppWrapper",
     R"({"components": [
          {"template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}},
          {"podSetInfos": [{"labels": {"kueue.x-k8s.io/podset": "train-0"}}],
           "template": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"parallelism": 3, "completions": 2, "template": $}}},
          {"podSets": [{"replicas": 4, "path": "template.spec.template"}],
           "template": {"apiVersion": "example.com/v1", "kind": "Server", "spec": {"template": $}}}]})",
     "train-0=2 train-1=4", "/spec/managedBy", "/spec/suspend",
     R"({"phase": "Running", "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "x"}]})",
     0,
     R"({"phase": "Suspended", "conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Evicted"}]})",
     R"({"phase": "Succeeded"})",
     R"({"phase": "Failed", "conditions": [{"type": "ResourcesDeployed", "status": "False"}]})"},
};

const Row& RowOf(std::string_view kind) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Row& each) { return each.kind == kind; });
}

const JobAdapter& AdapterOf(const Row& row) {
  const JobAdapter* adapter = BuiltInKinds()->Find(row.api_version, row.kind);
  REQUIRE(adapter != nullptr);
  return *adapter;
}

json Local(const Row& row, const char* status = "{}") {
  json job{{"apiVersion", row.api_version},
           {"kind", row.kind},
           {"metadata",
            {{"namespace", "ml"},
             {"name", "train"},
             {"uid", "j1"},
             {"resourceVersion", "5"},
             {"annotations",
              {{"kueue.x-k8s.io/stopping", "true"},
               {"workload.codeflare.dev.appwrapper/successTTLDuration", "1s"}}},
             {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
           {"spec", Spec(row.spec)},
           {"status", json::parse(status)}};
  if (row.managed_by != nullptr)
    job[json::json_pointer(row.managed_by)] = "kueue.x-k8s.io/multikueue";
  job[json::json_pointer(row.suspend)] = false;
  return job;
}

// `metadata`: what it has beside that of the manager's job.
json Remote(const Row& row, const json& status, const json& metadata = nullptr) {
  json job = Local(row);
  if (metadata.is_object()) {
    job["metadata"] = metadata;
    job["metadata"]["uid"] = "r1";
  }
  job["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  if (row.managed_by != nullptr) job[json::json_pointer(row.managed_by)] = nullptr;
  job["status"] = status;
  return job;
}

Job Parsed(const Row& row, const json& object) {
  auto job = AdapterOf(row).Parse(object);
  REQUIRE(job.has_value());
  return *std::move(job);
}

std::optional<json> Follow(const Row& row, const json& copy, const json& local) {
  const auto patch = AdapterOf(row).FollowPatch(Parsed(row, copy), Parsed(row, local));
  return patch ? std::optional(json::parse(*patch)) : std::nullopt;
}

std::optional<json> Mirror(const Row& row, const json& local, const json& remote) {
  const auto patch = AdapterOf(row).MirrorPatch(Parsed(row, local), Parsed(row, remote));
  return patch ? std::optional(json::parse(*patch)) : std::nullopt;
}

}  // namespace

TEST_CASE("each kind: the pod sets that Kueue will make, with the claims of their templates") {
  CHECK(std::size(kRows) + 1 == BuiltInKinds()->all().size());
  for (const Row& row : kRows) {
    INFO(row.kind);
    const auto job = ParseSubmitted(Local(row), *BuiltInKinds(), "");
    REQUIRE(job.has_value());
    std::string pod_sets;
    for (const PodSet& pod_set : job->requirement.pod_sets) {
      pod_sets +=
          (pod_sets.empty() ? "" : " ") + pod_set.name + "=" + std::to_string(pod_set.count);
      REQUIRE(pod_set.claims.size() == 1);
      CHECK(pod_set.claims[0].template_name == "one-gpu");
    }
    CHECK(pod_sets == row.pod_sets);
    CHECK(job->requirement.kind == AdapterOf(row).name());
    CHECK(job->requirement.queue == "gpu");
  }
}

TEST_CASE("JAXJob, SparkApplication: only its check keeps it from running on the manager") {
  for (const JobAdapter* kind : BuiltInKinds()->all()) {
    INFO(kind->name());
    CHECK(kind->HoldsCheck() ==
          (kind->resource().kind == "JAXJob" || kind->resource().kind == "SparkApplication"));
  }
}

TEST_CASE("each kind: the copy is suspended, unmanaged, ours, and nothing deletes it by itself") {
  Workload workload;
  workload.key = {"ml", "w"};
  workload.uid = "u1";
  for (const Row& row : kRows) {
    INFO(row.kind);
    const Job local = Parsed(row, Local(row));
    CHECK(local.managed_by == "kueue.x-k8s.io/multikueue");
    CHECK_FALSE(local.suspended);
    const auto text = AdapterOf(row).RemoteBody(local, workload, {"fedra", "m1"});
    REQUIRE(text.has_value());
    const json body = json::parse(*text);
    CHECK(body["kind"] == row.kind);
    if (row.managed_by != nullptr) CHECK_FALSE(body.contains(json::json_pointer(row.managed_by)));
    CHECK(body[json::json_pointer(row.suspend)] == true);
    CHECK(text->find("ttlSecondsAfterFinished") == std::string::npos);
    CHECK(text->find("timeToLiveSeconds") == std::string::npos);
    CHECK(text->find("kueue.x-k8s.io/podset") == std::string::npos);
    json annotations = body["metadata"]["annotations"];
    // Others take it for any annotation.
    CHECK(annotations.erase("workload.codeflare.dev.appwrapper/successTTLDuration") ==
          (body["kind"] == "AppWrapper" ? 0 : 1));
    const bool by_owner = AdapterOf(row).adoption() == Adoption::kOwner;
    CHECK(annotations ==
          json{{"fedra.dev/manager-uid", "m1"},
               {"fedra.dev/workload-uid", "u1"},
               {by_owner ? "fedra.dev/workload" : "kueue.x-k8s.io/prebuilt-workload-name", "w"}});
    // A Kueue without the gate WorkloadIdentifierAnnotations reads the label alone.
    CHECK(body["metadata"]["labels"].contains("kueue.x-k8s.io/prebuilt-workload-name") != by_owner);
    // Without a queue it is not Kueue's before the clone has an owner.
    const Job copy = Parsed(row, Remote(row, json::object(), body["metadata"]));
    CHECK(copy.queued != by_owner);
    CHECK(copy.prebuilt_workload == "w");
    CHECK_FALSE(AdapterOf(row).RemoteBody(Parsed(row, Remote(row, {})), workload, {"fedra", "m1"}));
  }
}

TEST_CASE(
    "each kind: a status is mirrored whole, activity is seen and taken out, an end is an end") {
  for (const Row& row : kRows) {
    INFO(row.kind);
    const json running = json::parse(row.running);
    const json shows = row.only_its_end ? json::parse(row.succeeded) : running;
    CHECK(Mirror(row, Local(row), Remote(row, running)).has_value() != row.only_its_end);
    const auto patch = Mirror(row, Local(row), Remote(row, shows));
    REQUIRE(patch.has_value());
    CHECK((*patch)["status"] == shows);
    CHECK((*patch)["metadata"]["resourceVersion"] == "5");
    CHECK_FALSE(Mirror(row, Local(row, row.running), Remote(row, running)).has_value());

    const Job shown = Parsed(row, Local(row, row.running));
    CHECK(shown.shows_activity);
    CHECK(shown.active_pods == row.active_pods);
    CHECK_FALSE(shown.finished);
    const auto cleared = AdapterOf(row).ClearActivityPatch(shown);
    REQUIRE(cleared.has_value());
    CHECK(json::parse(*cleared)["status"] == json::parse(row.cleared));
    json after = Local(row, row.running);
    after.merge_patch(json{{"status", json::parse(*cleared)["status"]}});
    CHECK_FALSE(Parsed(row, after).shows_activity);
    CHECK_FALSE(AdapterOf(row).ClearActivityPatch(Parsed(row, after)).has_value());

    if (row.succeeded == nullptr) continue;
    const Job succeeded = Parsed(row, Local(row, row.succeeded));
    CHECK(succeeded.finished);
    CHECK_FALSE(succeeded.failed);
    CHECK_FALSE(AdapterOf(row).ClearActivityPatch(succeeded).has_value());
    const Job failed = Parsed(row, Local(row, row.failed));
    CHECK(failed.finished);
    CHECK(failed.failed);
    // What Kueue has taken for the result stays.
    CHECK_FALSE(Mirror(row, Local(row, row.succeeded), Remote(row, running)).has_value());
  }
}

TEST_CASE("TrainJob: it names its runtime, of the cluster where it does not say whose") {
  const Row& row = RowOf("TrainJob");
  const auto named = [&](const json& reference) {
    json job = Local(row);
    job["spec"]["runtimeRef"] = reference;
    std::string names;
    for (const Reference& each : Parsed(row, job).references)
      names += each.resource.plural + " " + each.key.ToString() + ";";
    const auto submitted = ParseSubmitted(job, *BuiltInKinds(), "");
    REQUIRE(submitted.has_value());
    CHECK(submitted->requirement.references == Parsed(row, job).references);
    return names;
  };
  CHECK(named({{"name", "torch"}}) == "clustertrainingruntimes torch;");
  CHECK(named({{"name", "torch"}, {"kind", "ClusterTrainingRuntime"}}) ==
        "clustertrainingruntimes torch;");
  CHECK(named({{"name", "torch"}, {"kind", "TrainingRuntime"}}) == "trainingruntimes ml/torch;");
  CHECK(named({{"name", "torch"}, {"kind", "Other"}}).empty());
  CHECK(named({{"name", 3}}).empty());
  CHECK(named("torch").empty());
  // What a worker's copy names is what the manager's does.
  CHECK(Parsed(row, Remote(row, json::object())).references.empty());
}

TEST_CASE("TrainJob: Kueue's own patch is not copied, for the worker's Kueue adds its own") {
  const Row& row = RowOf("TrainJob");
  Workload workload;
  workload.key = {"ml", "w"};
  const auto text = AdapterOf(row).RemoteBody(Parsed(row, Local(row)), workload, {"fedra", "m1"});
  REQUIRE(text.has_value());
  CHECK(json::parse(*text)["spec"]["runtimePatches"] ==
        json::parse(R"([{"manager": "example.com/me"}])"));
}

TEST_CASE("TrainJob: a Workload is completed by what its job names") {
  const Row& row = RowOf("TrainJob");
  const auto workload = std::make_shared<const Workload>();
  const auto completed = Completed(workload, Parsed(row, Local(row)));
  REQUIRE(completed->requirement.references.size() == 1);
  CHECK(completed->requirement.references[0].key == ObjectKey{"", "torch"});
  CHECK(workload->requirement.references.empty());
  CHECK(Completed(workload, Parsed(RowOf("JobSet"), Local(RowOf("JobSet")))) == workload);
}

TEST_CASE("TrainJob: its pods are told as those of the JobSet that its operator makes") {
  const JobKey job{"TrainJob.trainer.kubeflow.org", {"ml", "train"}};
  const auto pods = BuiltInKinds()->JobOfPod(
      {{"namespace", "ml"}, {"labels", {{"jobset.sigs.k8s.io/jobset-name", "train"}}}});
  REQUIRE(pods.has_value());
  CHECK(BuiltInKinds()->PodsKeyOf(job) == *pods);
  CHECK(BuiltInKinds()->PodsKeyOf({"Job.batch", {"ml", "train"}}) ==
        JobKey{"Job.batch", {"ml", "train"}});
}

TEST_CASE("AppWrapper: one that failed is no end while what it has made is there") {
  const Row& row = RowOf("AppWrapper");
  const Job job = Parsed(row, Local(row, R"({"phase": "Failed", "conditions": [
                           {"type": "ResourcesDeployed", "status": "True"}]})"));
  CHECK_FALSE(job.finished);
  CHECK_FALSE(job.failed);
}

TEST_CASE("AppWrapper: a Workload is completed by the claims that Kueue does not show in it") {
  const Row& row = RowOf("AppWrapper");
  Workload shown;
  shown.requirement.queue = "gpu";
  shown.requirement.pod_sets = {{"train-0", 2, {}}, {"train-1", 4, {}}};
  const auto completed =
      Completed(std::make_shared<const Workload>(shown), Parsed(row, Local(row)));
  const Requirement& requirement = completed->requirement;
  CHECK(requirement.queue == "gpu");
  CHECK(requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  CHECK(requirement.Pods() == 6);
  REQUIRE(requirement.demands != nullptr);
  CHECK(NeedDevices(*requirement.demands));
  // What cannot be read is not left out in silence.
  json wrong = Local(row);
  wrong["spec"]["components"][2]["podSets"][0]["replicas"] = "4";
  CHECK(Completed(std::make_shared<const Workload>(shown), Parsed(row, wrong))
            ->requirement.unreadable == "replicas must be a whole number, not \"4\"");
  // A copy on a worker says nothing of it.
  CHECK(Parsed(row, Remote(row, json::object())).asks == nullptr);
}

TEST_CASE("a mirrored status of a map loses what the worker's has lost, at every depth") {
  const Row& mpi = RowOf("MPIJob");
  const auto patch = Mirror(
      mpi,
      Local(
          mpi,
          R"({"replicaStatuses": {"Launcher": {"active": 1}, "Worker": {"active": 8, "failed": 1}}})"),
      Remote(mpi,
             json::parse(R"({"replicaStatuses": {"Worker": {"active": 8, "selector": null}}})")));
  REQUIRE(patch.has_value());
  CHECK((*patch)["status"] ==
        json::parse(R"({"replicaStatuses": {"Launcher": null, "Worker": {"failed": null}}})"));
}

TEST_CASE("a worker's status of any kind is copied within bounds") {
  const Row& ray = RowOf("RayJob");
  json status = json::parse(R"({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"})");
  status["message"] = std::string(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) status["conditions"].push_back({{"type", "T" + std::to_string(i)}});
  const json mirrored = (*Mirror(ray, Local(ray), Remote(ray, status)))["status"];
  CHECK(mirrored["conditions"].size() == 20);
  CHECK(mirrored["jobDeploymentStatus"] == "Running");
  CHECK_FALSE(mirrored.contains("message"));
  CHECK_FALSE(Mirror(ray, Local(ray, mirrored.dump().c_str()), Remote(ray, status)).has_value());
}

TEST_CASE("SparkApplication: a status that is too large keeps what its CRD requires") {
  const Row& row = RowOf("SparkApplication");
  json status = json::parse(row.succeeded);
  for (int i = 0; i < 20'000; ++i)
    status["executorState"]["train-executor-of-a-long-name-" + std::to_string(i)] = "COMPLETED";
  const auto patch = Mirror(row, Local(row), Remote(row, status));
  REQUIRE(patch.has_value());
  CHECK((*patch)["status"] == json::parse(row.succeeded));
}

TEST_CASE(
    "SparkApplication: an end that its operator would not leave there is told as one that it "
    "does") {
  const Row& row = RowOf("SparkApplication");
  const auto told = [&](const char* state) {
    const json status{{"driverInfo", json::object()},
                      {"applicationState", {{"state", state}, {"errorMessage", "no"}}}};
    const json local =
        Local(row, R"({"driverInfo": {}, "applicationState": {"state": "SUSPENDED"}})");
    const auto patch = Mirror(row, local, Remote(row, status));
    REQUIRE(patch.has_value());
    const json& said = (*patch)["status"]["applicationState"];
    CHECK(said["errorMessage"] == "no");
    return said["state"].get<std::string>();
  };
  CHECK(told("COMPLETED") == "COMPLETED");
  CHECK(told("FAILED") == "FAILED");
  CHECK(told("SUBMISSION_FAILED") == "FAILED");
  // Told once.
  const json failed = json::parse(row.failed);
  const json mirrored = (*Mirror(row, Local(row), Remote(row, failed)))["status"];
  CHECK_FALSE(Mirror(row, Local(row, mirrored.dump().c_str()), Remote(row, failed)).has_value());
}

TEST_CASE("SparkApplication: quota counts what its Workload shows, devices what its pods ask for") {
  const Row& row = RowOf("SparkApplication");
  Workload shown;
  const std::vector<dra::PodDemand> counted(2);
  shown.requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(counted);
  const auto workload = std::make_shared<const Workload>(shown);
  const Requirement asks = Completed(workload, Parsed(row, Local(row)))->requirement;
  CHECK(asks.counted == shown.requirement.demands);
  REQUIRE(asks.demands != nullptr);
  CHECK(asks.demands != asks.counted);
  CHECK(NeedDevices(*asks.demands));
  CHECK(Completed(workload, Parsed(RowOf("JobSet"), Local(RowOf("JobSet"))))->requirement.counted ==
        nullptr);
}

TEST_CASE("what has a type that no API server takes is not read") {
  const Row& job_set = RowOf("JobSet");
  json wrong = Local(job_set);
  wrong["spec"]["suspend"] = "yes";
  const auto job = AdapterOf(job_set).Parse(wrong);
  REQUIRE_FALSE(job.has_value());
  CHECK(job.error().message == "spec.suspend must be true or false, not \"yes\"");
  wrong = Local(job_set);
  wrong["spec"]["replicatedJobs"][1]["replicas"] = "3";
  const auto submitted = ParseSubmitted(wrong, *BuiltInKinds(), "");
  REQUIRE_FALSE(submitted.has_value());
  CHECK(submitted.error().message == "ml/train: replicas must be a whole number, not \"3\"");
  wrong["spec"]["replicatedJobs"][1]["replicas"] = 2'000'000'000;
  CHECK_FALSE(ParseSubmitted(wrong, *BuiltInKinds(), "").has_value());
}

TEST_CASE("pods are told by their operators' labels: the job that a user knows comes first") {
  const auto job_of = [](const json& labels) {
    const auto job = BuiltInKinds()->JobOfPod({{"namespace", "ml"}, {"labels", labels}});
    return job ? job->kind + " " + job->key.ToString() : "";
  };
  CHECK(job_of({{"batch.kubernetes.io/job-name", "a"}}) == "Job.batch ml/a");
  CHECK(job_of({{"batch.kubernetes.io/job-name", "a-workers-0"},
                {"jobset.sigs.k8s.io/jobset-name", "a"}}) == "JobSet.jobset.x-k8s.io ml/a");
  const json kubeflow{{"training.kubeflow.org/job-name", "a"},
                      {"training.kubeflow.org/operator-name", "pytorchjob-controller"}};
  CHECK(job_of(kubeflow) == "PyTorchJob.kubeflow.org ml/a");
  CHECK(job_of({{"ray.io/cluster", "a-x7k"},
                {"ray.io/originated-from-cr-name", "a"},
                {"ray.io/originated-from-crd", "RayJob"}}) == "RayJob.ray.io ml/a");
  CHECK(job_of({{"sparkoperator.k8s.io/app-name", "a"}, {"spark-role", "driver"}}) ==
        "SparkApplication.sparkoperator.k8s.io ml/a");
  CHECK(job_of({{"app", "x"}}).empty());
  CHECK(job_of("none").empty());
}

TEST_CASE("kinds are found by what an owner reference says, and by name where that is one kind") {
  const JobKinds& kinds = *BuiltInKinds();
  CHECK(kinds.Find("batch/v1", "Job") == &BatchJobAdapter());
  CHECK(kinds.Find("kubeflow.org/v1", "MPIJob") == nullptr);
  CHECK(kinds.FindName("JobSet")->name() == "JobSet.jobset.x-k8s.io");
  CHECK(kinds.FindName("RayJob.ray.io")->resource().plural == "rayjobs");
  CHECK(kinds.FindName("Pod") == nullptr);
  const JobKinds more({{.resource = {"example.com", "v1", "jobsets", "JobSet"}}});
  CHECK(more.FindName("JobSet") == nullptr);
  CHECK(more.FindName("JobSet.example.com") != nullptr);
}

TEST_CASE("rows: a copy of a RayService follows its serveConfigV2, and nothing else") {
  const Row& row = RowOf("RayService");
  const json running = {{"conditions", json::array()}};
  const json copy = Remote(row, running);
  json local = Local(row);
  CHECK(Parsed(row, local).followed == Parsed(row, copy).followed);
  local["spec"]["rayClusterConfig"]["rayVersion"] = "2.50.0";
  CHECK(Parsed(row, local).followed == Parsed(row, copy).followed);
  local["spec"]["serveConfigV2"] = "applications: []";
  CHECK(Parsed(row, local).followed != Parsed(row, copy).followed);
  CHECK_FALSE(IsProgress(Parsed(row, Local(row)), Parsed(row, local)));
  CHECK(Follow(row, copy, local) ==
        json::parse(R"({"metadata": {"uid": "j1", "resourceVersion": "5"},
                        "spec": {"serveConfigV2": "applications: []"}})"));
  // Taken away, it is taken away there.
  CHECK(Follow(row, Remote(row, running), Local(row)).value()["spec"] ==
        json{{"serveConfigV2", nullptr}});
  CHECK_FALSE(Follow(RowOf("RayCluster"), Remote(RowOf("RayCluster"), running),
                     Local(RowOf("RayCluster"))));
}

}  // namespace fedra::tracking::rows_test
