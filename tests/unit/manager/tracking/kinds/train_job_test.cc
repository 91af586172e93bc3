// Which pods a TrainJob and its runtime make together.

#include "manager/tracking/kinds/train_job.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/submitted.h"
#include "tests/support/catch.h"

namespace fedra::tracking::train_job_test {

using nlohmann::json;

namespace {

constexpr const char* kParts = R"([
  {"name": "Dataset-Initializer", "template": {
    "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "dataset-initializer"}},
    "spec": {"template": {"spec": {"containers": [{"name": "dataset-initializer"}]}}}}},
  {"name": "launcher", "template": {"spec": {"template": {"spec": {"containers": [{"name": "node"}]}}}}},
  {"name": "node", "replicas": 5, "template": {
    "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
    "spec": {"parallelism": 7, "completions": 7, "template": {"spec": {
      "containers": [{"name": "log"}, {"name": "node", "resources": {"limits": {"cpu": "4", "memory": "1Gi"},
                      "claims": [{"name": "gpu"}]}}],
      "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}}}},
  {"name": "broken", "template": 3}])";

json Runtime(const std::string& policy) {
  json runtime{{"template", {{"spec", {{"replicatedJobs", json::parse(kParts)}}}}}};
  if (!policy.empty()) runtime["mlPolicy"] = json::parse(policy);
  return runtime;
}

// "name=count ..."
std::string PodsOf(const std::string& trainer, json runtime) {
  std::string text;
  for (const PodTemplate& pods :
       TrainJobPods({{"spec", {{"trainer", json::parse(trainer)}}}}, runtime)) {
    text += (text.empty() ? "" : " ") + pods.name + "=" +
            (pods.count ? std::to_string(*pods.count) : pods.count.error().message);
  }
  return text;
}

}  // namespace

TEST_CASE("TrainJob: as many pods as the job says, else as the runtime says") {
  const auto [trainer, policy, nodes] = GENERATE(table<const char*, const char*, const char*>({
      {"null", R"({"numNodes": 3})", "launcher=1 node=3"},
      {R"({"numNodes": 2})", R"({"numNodes": 3, "torch": {}})", "launcher=1 node=2"},
      {R"({"numNodes": 2})", "", "launcher=1 node=2"},
      {"null", R"({"torch": {}})", "launcher=1 node=1"},
      {"null", "", "launcher=1 node=7"},
      {R"({"numNodes": 4})", R"({"mpi": {}})", "launcher=1 node=4"},
      {R"({"numNodes": 4})", R"({"mpi": {"runLauncherAsNode": true}})", "launcher=1 node=3"},
      {R"({"numNodes": 1})", R"({"mpi": {"runLauncherAsNode": true}})", "launcher=1 node=1"},
      {R"({"numNodes": "4"})", "",
       R"(launcher=1 node=parallelism must be a whole number, not "4")"},
  }));
  INFO(trainer << " " << policy);
  CHECK(PodsOf(trainer, Runtime(policy)) == std::string("dataset-initializer=1 ") + nodes);
}

TEST_CASE("TrainJob: the job's resources take the place of the runtime's, one by one") {
  json runtime = Runtime(R"({"numNodes": 1})");
  const json job = json::parse(
      R"({"spec": {"trainer": {"resourcesPerNode": {"limits": {"cpu": "8", "example.com/gpu": "2"},
                                                    "requests": {"cpu": "8"}}}}})");
  const auto pods = TrainJobPods(job, runtime);
  REQUIRE(pods.size() == 3);
  const json& containers = (*pods[2].object)["spec"]["containers"];
  CHECK_FALSE(containers[0].contains("resources"));
  CHECK(containers[1]["resources"] ==
        json::parse(R"({"limits": {"cpu": "8", "memory": "1Gi", "example.com/gpu": "2"},
                        "requests": {"cpu": "8"}, "claims": [{"name": "gpu"}]})"));
  CHECK_FALSE((*pods[1].object)["spec"]["containers"][0].contains("resources"));
}

TEST_CASE("TrainJob: a runtime that no API server takes makes no pods") {
  for (const char* text : {"null", "3", R"({"template": {"spec": {"replicatedJobs": 3}}})",
                           R"({"template": {"spec": {"replicatedJobs": [null, 1, {}]}}})"}) {
    INFO(text);
    CHECK(PodsOf("null", json::parse(text)).empty());
    CHECK(PodsOf("3", json::parse(text)).empty());
  }
}

TEST_CASE("TrainJob: what is checked asks for what the runtime's pods ask for") {
  const json object{
      {"apiVersion", "trainer.kubeflow.org/v1alpha1"},
      {"kind", "TrainJob"},
      {"metadata", {{"name", "train"}, {"namespace", "ml"}}},
      {"spec", {{"runtimeRef", {{"name", "torch"}}}, {"trainer", {{"numNodes", 2}}}}}};
  const auto job = ParseSubmitted(object, *BuiltInKinds(), "");
  REQUIRE(job.has_value());
  CHECK(job->requirement.pod_sets.empty());
  const SubmittedJob described = WithReferencedPods(*job, Runtime(R"({"torch": {}})"));
  CHECK(described.requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  CHECK(described.requirement.Pods() == 4);
  CHECK(described.requirement.references == job->requirement.references);
  CHECK(described.requirement.ns == "ml");
  // What cannot be read says nothing.
  CHECK(WithReferencedPods(*job, nullptr).requirement.pod_sets.empty());
}

}  // namespace fedra::tracking::train_job_test
