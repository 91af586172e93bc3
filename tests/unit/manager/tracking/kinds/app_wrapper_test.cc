// Where an AppWrapper has its pods.

#include "manager/tracking/kinds/app_wrapper.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::app_wrapper_test {

using nlohmann::json;

namespace {

// "image=count ..." of the pods, in order. A count that cannot be read is "?".
std::string PodsOf(const std::string& components) {
  std::string text = components;
  // A pod template: $image.
  for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at)) {
    const size_t end = text.find_first_of(",}] ", at);
    const std::string image = text.substr(at + 1, end - at - 1);
    text.replace(at, end - at, R"({"spec": {"containers": [{"image": ")" + image + R"("}]}})");
  }
  const json object{{"metadata", {{"name", "aw"}}}, {"spec", {{"components", json::parse(text)}}}};
  std::string found;
  int index = 0;
  for (const PodTemplate& pods : AppWrapperPods(object)) {
    CHECK(pods.name == "aw-" + std::to_string(index++));
    const std::string image = (*pods.object)["spec"]["containers"][0]["image"];
    found +=
        (found.empty() ? "" : " ") + image + "=" + (pods.count ? std::to_string(*pods.count) : "?");
  }
  return found;
}

}  // namespace

TEST_CASE("AppWrapper: pods of a known kind are found without being declared") {
  const auto [kind, spec, pods] = GENERATE(table<const char*, const char*, const char*>({
      {R"("apiVersion": "apps/v1", "kind": "Deployment")", R"({"replicas": 3, "template": $a})",
       "a=3"},
      {R"("apiVersion": "apps/v1", "kind": "StatefulSet")", R"({"template": $a})", "a=1"},
      {R"("apiVersion": "batch/v1", "kind": "Job")", R"({"template": $a})", "a=1"},
      {R"("apiVersion": "batch/v1", "kind": "Job")", R"({"parallelism": 4, "template": $a})",
       "a=4"},
      {R"("apiVersion": "batch/v1", "kind": "Job")",
       R"({"parallelism": 4, "completions": 2, "template": $a})", "a=2"},
      {R"("apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet")",
       R"({"replicatedJobs": [{"replicas": 2, "template": {"spec": {"parallelism": 3, "template": $a}}},
                              {"template": {"spec": {"template": $b}}}]})",
       "a=6 b=1"},
      {R"("apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob")",
       R"({"pytorchReplicaSpecs": {"Worker": {"replicas": 5, "template": $b}, "Master": {"template": $a}}})",
       "a=1 b=5"},
      {R"("apiVersion": "ray.io/v1", "kind": "RayCluster")",
       R"({"headGroupSpec": {"template": $a}, "workerGroupSpecs": [{"replicas": 2, "numOfHosts": 4, "template": $b}]})",
       "a=1 b=2"},
      {R"("apiVersion": "ray.io/v1", "kind": "RayJob")",
       R"({"submissionMode": "K8sJobMode", "submitterPodTemplate": $c, "rayClusterSpec": {"headGroupSpec": {"template": $a}}})",
       "a=1"},
      // Another version, another kind, and what has no pods.
      {R"("apiVersion": "apps/v2", "kind": "Deployment")", R"({"template": $a})", ""},
      {R"("apiVersion": "example.com/v1", "kind": "Job")", R"({"template": $a})", ""},
      {R"("apiVersion": "v1", "kind": "Service")", R"({"template": $a})", ""},
  }));
  INFO(kind);
  CHECK(PodsOf(R"([{"template": {)" + std::string(kind) + R"(, "spec": )" + spec + "}}]") == pods);
}

TEST_CASE("AppWrapper: a wrapped Pod is its own template") {
  CHECK(PodsOf(R"([{"template": {"apiVersion": "v1", "kind": "Pod",
                                 "spec": {"containers": [{"image": "a"}]}}}])") == "a=1");
}

TEST_CASE("AppWrapper: declared pods stand at their paths, in the order of the declaration") {
  const auto pods = [](const std::string& declared) {
    return PodsOf(R"([{"podSets": )" + declared + R"(, "template": {"apiVersion": "apps/v1",
      "kind": "Deployment", "spec": {"template": $a, "more": [[$b, $c]], "text": "x"}}}])");
  };
  CHECK(pods("[]") == "a=1");  // none is declared
  CHECK(pods(R"([{"path": "template.spec.template"}])") == "a=1");
  CHECK(pods(R"([{"path": "template.spec.more[0][1]", "replicas": 2},
                 {"path": "template.spec.template", "replicas": 0}])") == "c=2 a=0");
  CHECK(pods(R"([{"path": "template.spec.template", "replicas": "2"}])") == "a=?");
}

TEST_CASE("AppWrapper: a path that leads nowhere leads to no pods, whatever it is") {
  const auto [path] = GENERATE(table<const char*>({
      {""},
      {"spec.template"},
      {"templates"},
      {"template."},
      {"template.spec"},
      {"template.spec.none.more"},
      {"template.spec.text"},
      {"template.spec.text.more"},
      {"template.spec.more[2]"},
      {"template.spec.more[-1]"},
      {"template.spec.more[99999999999999999999]"},
      {"template.spec.more[0"},
      {"template.spec.more[]"},
      {"template.spec.more[0]]"},
      {"template.spec[0]"},
  }));
  INFO(path);
  const json component{{"podSets", {{{"path", path}}}},
                       {"template", {{"spec", {{"more", {1}}, {"text", "x"}}}}}};
  CHECK(PodsOf(json::array({component}).dump()).empty());
}

TEST_CASE("AppWrapper: what no API server takes has no pods") {
  for (const char* spec : {R"(null)", R"({"components": 1})", R"({"components": [1, null, "x"]})",
                           R"({"components": [{"template": 3}]})",
                           R"({"components": [{"podSets": [1, {"path": 2}], "template": []}]})"}) {
    INFO(spec);
    CHECK(AppWrapperPods(json{{"spec", json::parse(spec)}}).empty());
  }
  CHECK(AppWrapperPods(json("x")).empty());
}

}  // namespace fedra::tracking::app_wrapper_test
