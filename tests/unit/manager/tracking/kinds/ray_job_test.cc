#include <string>

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kinds/ray_job.h"
#include "tests/support/catch.h"

namespace fedra::tracking::ray_job_test {

using nlohmann::json;

namespace {

Job RayJob(const char* state, bool is_copy) {
  json object = json::parse(R"({"apiVersion": "ray.io/v1", "kind": "RayJob",
    "metadata": {"name": "train", "namespace": "ml", "uid": "j1", "resourceVersion": "5"},
    "spec": {"managedBy": "kueue.x-k8s.io/multikueue", "rayClusterSpec": {}},
    "status": {"message": "spec.entrypoint: is required"}})");
  object["status"]["jobDeploymentStatus"] = state;
  if (is_copy) {
    object["metadata"]["labels"] = {{"kueue.x-k8s.io/multikueue-origin", "fedra"}};
    object["spec"].erase("managedBy");
  }
  auto job = BuiltInKinds()->Find("ray.io/v1", "RayJob")->Parse(object);
  REQUIRE(job);
  return *std::move(job);
}

}  // namespace

TEST_CASE("a RayJob that KubeRay refuses has failed, and stays so on the manager") {
  const Job copy = RayJob("ValidationFailed", /*is_copy=*/true);
  CHECK(copy.finished);
  CHECK(copy.failed);
  const auto mirrored = copy.kind->MirrorPatch(RayJob("", false), copy);
  REQUIRE(mirrored);
  CHECK(json::parse(*mirrored)["status"] == json{{"jobDeploymentStatus", "ValidationFailed"}});
  // Taking it out would have Kueue queue the job again, and the next worker refuse it.
  CHECK_FALSE(copy.kind->ClearActivityPatch(RayJob("ValidationFailed", false)));
  CHECK(copy.kind->ClearActivityPatch(RayJob("Initializing", false)));
}

TEST_CASE("a Ray job with Ray's own autoscaler is not dispatched, and says why") {
  const auto [kind, base] = GENERATE(table<const char*, const char*>(
      {{"RayCluster", ""}, {"RayJob", "rayClusterSpec"}, {"RayService", "rayClusterConfig"}}));
  INFO(kind);
  json object = json::parse(R"({"apiVersion": "ray.io/v1",
    "metadata": {"name": "train", "namespace": "ml", "uid": "j1", "resourceVersion": "5"},
    "spec": {"managedBy": "kueue.x-k8s.io/multikueue"}})");
  object["kind"] = kind;
  json& cluster = *base == '\0' ? object["spec"] : object["spec"][base];
  const JobAdapter& adapter = *BuiltInKinds()->Find("ray.io/v1", kind);
  for (const json& value : {json(true), json(false), json()}) {
    cluster["enableInTreeAutoscaling"] = value;
    const auto never = adapter.WhyNever(object);
    REQUIRE(never.has_value() == (value == true));
    CHECK(adapter.Parse(object)->never == (never ? never->why : ""));
    if (!never) continue;
    CHECK(never->path ==
          "spec." + (*base == '\0' ? "" : std::string(base) + ".") + "enableInTreeAutoscaling");
  }
}

TEST_CASE("a RayJob for a cluster that exists is not dispatched, for Kueue leaves it alone") {
  const JobAdapter& adapter = *BuiltInKinds()->Find("ray.io/v1", "RayJob");
  const auto why = [&](const char* selector) {
    const json spec = {{"clusterSelector", json::parse(selector)}};
    return adapter.WhyNever({{"spec", spec}});
  };
  CHECK_FALSE(why("null"));
  CHECK_FALSE(why("{}"));
  const auto never = why(R"({"ray.io/cluster": "shared"})");
  REQUIRE(never);
  CHECK(never->path == "spec.clusterSelector");
  CHECK(never->why.find("rayClusterSpec") != std::string::npos);
}

TEST_CASE("what submits a RayJob counts, also where no template is written for it") {
  // 500m of the submitter beside 1 of the head and 2 x 4 of the workers.
  const auto [mode, submitter, pods] = GENERATE(table<const char*, const char*, const char*>({
      {"", "", "head: 1; w x2: 4; submitter: 500m"},
      {"K8sJobMode", "", "head: 1; w x2: 4; submitter: 500m"},
      {"K8sJobMode", "7", "head: 1; w x2: 4; submitter: 7"},
      {"SidecarMode", "", "head: 1, 500m; w x2: 4"},
      {"SidecarMode", "7", "head: 1, 500m; w x2: 4"},
      {"HTTPMode", "", "head: 1; w x2: 4"},
      {"InteractiveMode", "7", "head: 1; w x2: 4"},
  }));
  CAPTURE(mode, submitter);
  const auto pod_template = [](const char* cpu) {
    json container = {{"name", "c"}};
    container["resources"]["requests"]["cpu"] = cpu;
    json made;
    made["spec"]["containers"] = json::array({container});
    return made;
  };
  json object;
  json& spec = object["spec"];
  if (*mode != '\0') spec["submissionMode"] = mode;
  if (*submitter != '\0') spec["submitterPodTemplate"] = pod_template(submitter);
  spec["rayClusterSpec"]["headGroupSpec"]["template"] = pod_template("1");
  json group = {{"groupName", "w"}, {"replicas", 2}};
  group["template"] = pod_template("4");
  spec["rayClusterSpec"]["workerGroupSpecs"] = json::array({group});
  const json before = object;
  std::string text;
  for (const PodTemplate& pod : RayJobPods(object)) {
    text += (text.empty() ? "" : "; ") + pod.name;
    if (pod.count.value() > 1) text += " x" + std::to_string(pod.count.value());
    const char* comma = ": ";
    for (const json& container : (*pod.object)["spec"]["containers"]) {
      text += comma + container["resources"]["requests"]["cpu"].get<std::string>();
      comma = ", ";
    }
  }
  CHECK(text == pods);
  CHECK(object == before);
}

}  // namespace fedra::tracking::ray_job_test
