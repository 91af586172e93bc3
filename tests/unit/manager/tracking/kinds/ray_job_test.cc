#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
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
    CHECK(adapter.WhyNever(object).empty() == (value != true));
    CHECK(adapter.Parse(object)->never == adapter.WhyNever(object));
  }
}

}  // namespace fedra::tracking::ray_job_test
