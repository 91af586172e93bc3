// StatefulSets as jobs: nothing in them says who runs them, and their status has one writer.

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kinds/submitted.h"
#include "tests/support/catch.h"

namespace fedra::tracking::stateful_set_test {

using nlohmann::json;

namespace {

const JobKinds& WithPods() {
  static const JobKinds kinds({}, /*pods=*/true);
  return kinds;
}

const JobAdapter& Adapter() {
  const JobAdapter* adapter = WithPods().Find("apps/v1", "StatefulSet");
  REQUIRE(adapter != nullptr);
  return *adapter;
}

json Local() {
  return json::parse(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
    "metadata": {"namespace": "ml", "name": "serve", "uid": "s1", "resourceVersion": "5",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"replicas": 3, "serviceName": "serve", "template": {
      "metadata": {"labels": {"app": "serve"},
                   "annotations": {"kueue.x-k8s.io/pod-suspending-parent": "statefulset"}},
      "spec": {"containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
               "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}},
    "status": {"replicas": 1}})");
}

json Remote() {
  json remote = Local();
  remote["metadata"]["uid"] = "r1";
  remote["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  remote["status"] = {{"replicas", 3}, {"readyReplicas", 3}};
  return remote;
}

Job Parsed(const json& object) {
  auto job = Adapter().Parse(object);
  REQUIRE(job.has_value());
  return *std::move(job);
}

}  // namespace

TEST_CASE("StatefulSet: it is a kind where pods are run, and only there") {
  CHECK(BuiltInKinds()->Find("apps/v1", "StatefulSet") == nullptr);
  CHECK(Adapter().HoldsCheck());
  CHECK(Adapter().labels_on_manager() == "kueue.x-k8s.io/queue-name");
  CHECK(Adapter().labels_on_worker() == "kueue.x-k8s.io/multikueue-origin");
}

TEST_CASE("StatefulSet: one in a queue is run elsewhere, unless it is a copy of ours") {
  CHECK(Parsed(Local()).managed_by == "kueue.x-k8s.io/multikueue");
  CHECK(Parsed(Remote()).managed_by.empty());
  json plain = Local();
  plain["metadata"]["labels"] = json::object();
  CHECK(Parsed(plain).managed_by.empty());
  CHECK_FALSE(Parsed(Remote()).finished);
}

TEST_CASE("StatefulSet: its copy is one that the worker's Kueue finds the clone of") {
  Workload workload;
  workload.key = {"ml", "w"};
  workload.uid = "u1";
  const auto text = Adapter().RemoteBody(Parsed(Local()), workload, {"fedra", "m1"});
  REQUIRE(text.has_value());
  const json body = json::parse(*text);
  CHECK(body["spec"] == Local()["spec"]);
  CHECK(body["metadata"]["labels"] ==
        json{{"kueue.x-k8s.io/queue-name", "gpu"}, {"kueue.x-k8s.io/multikueue-origin", "fedra"}});
  CHECK(body["metadata"]["annotations"] == json{{"fedra.dev/manager-uid", "m1"},
                                                {"fedra.dev/workload-uid", "u1"},
                                                {"kueue.x-k8s.io/multikueue-origin-uid", "s1"},
                                                {"kueue.x-k8s.io/prebuilt-workload-name", "w"}});
}

TEST_CASE("StatefulSet: its status on the manager is its controller's there") {
  CHECK_FALSE(Adapter().MirrorsStatus());
  CHECK_FALSE(Adapter().MirrorPatch(Parsed(Local()), Parsed(Remote())).has_value());
  json active = Local();
  active["status"]["readyReplicas"] = 3;
  CHECK_FALSE(Parsed(active).shows_activity);
  CHECK_FALSE(Adapter().ClearActivityPatch(Parsed(active)).has_value());
  // The copy's is shown to people all the same.
  CHECK(Parsed(active).readiness.empty());
  CHECK(Parsed(Remote()).readiness == "3 of 3 replicas ready");
  json starting = Remote();
  starting["status"] = nullptr;
  CHECK(Parsed(starting).readiness == "0 of 3 replicas ready");
}

TEST_CASE("StatefulSet: check reads its pods where Kueue does") {
  const auto job = ParseSubmitted(Local(), WithPods(), "");
  REQUIRE(job.has_value());
  REQUIRE(job->requirement.pod_sets.size() == 1);
  CHECK(job->requirement.pod_sets[0].name == "main");
  CHECK(job->requirement.pod_sets[0].count == 3);
  CHECK(job->requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  json odd = Local();
  odd["spec"].erase("template");
  CHECK(Adapter().PodTemplates(odd).size() <= 1);
}

TEST_CASE("StatefulSet: its pods are told by their names, and others are not") {
  const auto job_of = [](const char* label, const char* name) {
    const auto job =
        WithPods().JobOfPod({{"namespace", "ml"}, {"name", name}, {"labels", {{label, name}}}});
    return job ? job->kind + " " + job->key.ToString() : "";
  };
  constexpr const char* kLabel = "statefulset.kubernetes.io/pod-name";
  CHECK(job_of(kLabel, "serve-0") == "StatefulSet.apps ml/serve");
  CHECK(job_of(kLabel, "serve-v2-17") == "StatefulSet.apps ml/serve-v2");
  CHECK(job_of(kLabel, "serve").empty());
  CHECK(job_of(kLabel, "serve-").empty());
  CHECK(job_of(kLabel, "17").empty());
  CHECK(job_of("app", "serve-0").empty());
}

}  // namespace fedra::tracking::stateful_set_test
