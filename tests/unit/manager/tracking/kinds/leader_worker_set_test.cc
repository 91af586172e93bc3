// LeaderWorkerSets as jobs: a Workload for each replica, and one copy for all of them.

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kinds/submitted.h"
#include "tests/support/catch.h"

namespace fedra::tracking::leader_worker_set_test {

using nlohmann::json;

namespace {

const JobAdapter& Adapter() {
  const JobAdapter* adapter =
      BuiltInKindsAndPods()->Find("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
  REQUIRE(adapter != nullptr);
  return *adapter;
}

json Local() {
  return json::parse(R"({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
    "metadata": {"namespace": "ml", "name": "serve", "uid": "s1", "resourceVersion": "5",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"replicas": 2, "leaderWorkerTemplate": {"size": 4,
      "leaderTemplate": {"spec": {"containers": [{"name": "c"}]}},
      "workerTemplate": {"metadata": {"annotations": {"kueue.x-k8s.io/workload": "w"}}, "spec": {
        "containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}}},
    "status": {"replicas": 2, "readyReplicas": 0}})");
}

Job Parsed(const json& object) {
  auto job = Adapter().Parse(object);
  REQUIRE(job.has_value());
  return *std::move(job);
}

// "leader=1 worker=3"
std::string PodSetsOf(const json& set) {
  const auto job = ParseSubmitted(set, *BuiltInKindsAndPods(), "");
  if (!job) return job.error().message;
  std::string text;
  for (const PodSet& pod_set : job->requirement.pod_sets)
    text += (text.empty() ? "" : " ") + pod_set.name + "=" + std::to_string(pod_set.count);
  return text;
}

}  // namespace

TEST_CASE("LeaderWorkerSet: it is a kind where pods are run, and only there") {
  CHECK(BuiltInKinds()->Find("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet") == nullptr);
  CHECK(Adapter().HoldsCheck());
  CHECK_FALSE(Adapter().MirrorsStatus());
  CHECK(Adapter().labels_on_manager() == "kueue.x-k8s.io/queue-name");
}

TEST_CASE("LeaderWorkerSet: check reads the pods of one replica, as Kueue makes its Workload") {
  CHECK(PodSetsOf(Local()) == "leader=1 worker=3");
  json set = Local();
  set["spec"]["leaderWorkerTemplate"].erase("leaderTemplate");
  CHECK(PodSetsOf(set) == "main=4");
  set["spec"]["leaderWorkerTemplate"].erase("size");
  CHECK(PodSetsOf(set) == "main=1");
  set = Local();
  set["spec"]["leaderWorkerTemplate"]["size"] = 1;
  CHECK(PodSetsOf(set) == "leader=1 worker=0");
  set["spec"]["leaderWorkerTemplate"]["size"] = "4";
  CHECK(PodSetsOf(set) == "ml/serve: size must be a whole number, not \"4\"");
  for (const char* spec : {"null", "3", R"({"leaderWorkerTemplate": []})"}) {
    set["spec"] = json::parse(spec);
    CHECK(Adapter().PodTemplates(set).size() == 1);
  }
}

TEST_CASE("LeaderWorkerSet: its copy is one that the worker's Kueue finds the clones of") {
  CHECK(Parsed(Local()).managed_by == "kueue.x-k8s.io/multikueue");
  Workload first;
  first.key = {"ml", "leaderworkerset-serve-0-ab12c"};
  first.uid = "u1";
  const auto text = Adapter().RemoteBody(Parsed(Local()), first, {"fedra", "m1"});
  REQUIRE(text.has_value());
  const json body = json::parse(*text);
  CHECK(body["metadata"]["annotations"]["kueue.x-k8s.io/multikueue-origin-uid"] == "s1");
  CHECK(body["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] == "fedra");
  CHECK(body["spec"]["replicas"] == 2);
  CHECK(text->find("kueue.x-k8s.io/workload\"") == std::string::npos);
}

TEST_CASE("LeaderWorkerSet: it has a Workload for each replica, and its copy follows the number") {
  json set = Local();
  CHECK(Parsed(set).parts == 2);
  set["spec"]["replicas"] = 0;
  CHECK(Parsed(set).parts == 0);
  const Job scaled = Parsed(set);
  CHECK_FALSE(IsProgress(Parsed(Local()), scaled));
  set["spec"].erase("replicas");
  CHECK(Parsed(set).parts == 1);
  set["spec"]["replicas"] = "2";
  CHECK_FALSE(Adapter().Parse(set));
  CHECK(Adapter().copies_follow());
  set["spec"]["replicas"] = 3;
  const auto patch = Adapter().FollowPatch(Parsed(Local()), Parsed(set));
  REQUIRE(patch);
  CHECK(json::parse(*patch) == json::parse(R"({"metadata": {"uid": "s1", "resourceVersion": "5"},
                                               "spec": {"replicas": 3}})"));
  const JobAdapter* job_set = BuiltInKinds()->FindName("JobSet");
  REQUIRE(job_set != nullptr);
  CHECK_FALSE(job_set->copies_follow());
  CHECK_FALSE(job_set->FollowPatch(Parsed(Local()), Parsed(set)));
}

TEST_CASE("LeaderWorkerSet: a pod is its, and not of the StatefulSet that it makes of it") {
  const auto job_of = [](const json& labels) {
    const auto job = BuiltInKindsAndPods()->JobOfPod(
        {{"namespace", "ml"}, {"name", "serve-0-1"}, {"labels", labels}});
    return job ? job->kind + " " + job->key.ToString() : "";
  };
  CHECK(job_of({{"leaderworkerset.sigs.k8s.io/name", "serve"},
                {"statefulset.kubernetes.io/pod-name", "serve-0-1"}}) ==
        "LeaderWorkerSet.leaderworkerset.x-k8s.io ml/serve");
}

TEST_CASE("LeaderWorkerSet: each Workload says whether it follows the first one") {
  const auto parsed = [](const json& annotations) {
    auto workload = ParseWorkload(
        {{"metadata",
          {{"namespace", "ml"}, {"name", "w"}, {"uid", "u"}, {"annotations", annotations}}}});
    REQUIRE(workload.has_value());
    return std::pair(workload->is_part, workload->follows);
  };
  constexpr const char* kIndex = "kueue.x-k8s.io/component-workload-index";
  CHECK(parsed(json::object()) == std::pair(false, false));
  CHECK(parsed({{kIndex, "0"}}) == std::pair(true, false));
  CHECK(parsed({{kIndex, "11"}}) == std::pair(true, true));
}

}  // namespace fedra::tracking::leader_worker_set_test
