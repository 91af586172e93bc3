#include "tests/sim/kinds/train_job.h"

#include <algorithm>

#include "tests/sim/actors/conditions.h"

namespace fedra::sim {
namespace {

constexpr std::string_view kPatchManager = "kueue.x-k8s.io/manager";
constexpr std::string_view kAncestor = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr std::string_view kClusterRuntime = "ClusterTrainingRuntime";

bool IsKueues(const Json& patch) { return StringAt(patch, {"manager"}) == kPatchManager; }

Named RuntimeOf(const Json& job) {
  const std::string_view kind = StringAt(job, {"spec", "runtimeRef", "kind"});
  const bool of_cluster = kind.empty() || kind == kClusterRuntime;
  return {"trainer.kubeflow.org", "v1alpha1",
          of_cluster ? "clustertrainingruntimes" : "trainingruntimes",
          of_cluster ? "" : std::string(StringAt(job, {"metadata", "namespace"})),
          std::string(StringAt(job, {"spec", "runtimeRef", "name"}))};
}

// As getChildJobSet of Kueue: the runtime's JobSet with the job's number of nodes.
Json PodSets(const Json& job) {
  const Json& runtime = job[kNamed];
  Json pod_sets = Json::array();
  for (const Json& part : ArrayAt(runtime, {"spec", "template", "spec", "replicatedJobs"})) {
    int64_t pods = IntAt(part, {"template", "spec", "parallelism"}, 1);
    if (StringAt(part, {"template", "metadata", "labels", kAncestor}) == "trainer") {
      pods = IntAt(job, {"spec", "trainer", "numNodes"},
                   IntAt(runtime, {"spec", "mlPolicy", "numNodes"}, 1));
    }
    pod_sets.push_back({{"name", part["name"]},
                        {"count", IntAt(part, {"replicas"}, 1) * pods},
                        {"template", part["template"]["spec"]["template"]}});
  }
  return pod_sets;
}

// Where Kueue writes what it adds to the pods at the start: not into their templates.
std::vector<Json*> Templates(Json& job) {
  for (Json& patch : job["spec"]["runtimePatches"]) {
    if (!IsKueues(patch)) continue;
    Json& parts = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"];
    if (parts.is_null()) parts = Json::array({{{"name", "node"}}});
    return {&parts[0]["template"]["spec"]["template"]};
  }
  return {};
}

}  // namespace

void AddKueuePatch(Json& job) {
  Json entry{{"manager", kPatchManager}};
  entry["trainingRuntimeSpec"]["template"]["spec"] = Json::object();
  job["spec"]["runtimePatches"].push_back(std::move(entry));
}

std::vector<std::pair<std::string, std::string>> TrainJobProblems(const Json& job) {
  const Json& patches = ArrayAt(job, {"spec", "runtimePatches"});
  if (std::count_if(patches.begin(), patches.end(), &IsKueues) < 2) return {};
  return {{"spec.runtimePatches", "duplicate entry for key [manager=kueue.x-k8s.io/manager]"}};
}

JobKind TrainJob() {
  JobKind kind;
  kind.group = "trainer.kubeflow.org";
  kind.version = "v1alpha1";
  kind.plural = "trainjobs";
  kind.kind = "TrainJob";
  kind.managed_by = {"spec", "managedBy"};
  kind.suspend = {"spec", "suspend"};
  kind.controller = "trainer.kubeflow.org/trainjob-controller";
  kind.names = &RuntimeOf;
  kind.pod_sets = &PodSets;
  kind.templates = &Templates;
  kind.active = [](const Json& status) {
    const Json& jobs = ArrayAt(status, {"jobsStatus"});
    return std::any_of(jobs.begin(), jobs.end(),
                       [](const Json& each) { return IntAt(each, {"active"}) > 0; });
  };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    for (const char* type : {"Complete", "Failed"}) {
      if (IsTrue(status, type)) return JobEnd{std::string_view(type) == "Complete", "it has ended"};
    }
    return std::nullopt;
  };
  kind.run = [](const Json& pod_sets, Json& status) {
    Json& jobs = status["jobsStatus"] = Json::array();
    for (const Json& pod_set : pod_sets)
      jobs.push_back({{"name", pod_set["name"]}, {"active", 1}, {"ready", 1}, {"succeeded", 0}});
    SetCondition(status, {"Suspended", false, "Resumed", "TrainJob is resumed"}, 0);
  };
  kind.finish = [](bool success, Json& status) {
    status["jobsStatus"] = Json::array();
    SetCondition(status, {success ? "Complete" : "Failed", true, "Simulated", "all pods ended"}, 0);
  };
  kind.stop = [](Json& status) {
    status.erase("jobsStatus");
    SetCondition(status, {"Suspended", true, "Suspended", "TrainJob is suspended"}, 0);
  };
  return kind;
}

}  // namespace fedra::sim
