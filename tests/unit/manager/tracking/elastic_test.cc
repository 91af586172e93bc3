#include "manager/tracking/elastic.h"

#include <string>

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "tests/support/catch.h"

namespace fedra::tracking::elastic_test {

using nlohmann::json;

namespace {

constexpr const char* kChain = "job-train-aaaaa";

json WorkloadObject(std::vector<int> counts, const char* replaces = nullptr) {
  json object = json::parse(R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
    "metadata": {"name": "job-train-bbbbb", "namespace": "ml", "uid": "w2", "resourceVersion": "7",
      "annotations": {"kueue.x-k8s.io/elastic-job": "true"}},
    "spec": {"podSets": []},
    "status": {"conditions": [{"type": "QuotaReserved", "status": "True"}]}})");
  json& annotations = object["metadata"]["annotations"];
  annotations["kueue.x-k8s.io/workload-slice-name"] = kChain;
  if (replaces != nullptr) annotations["kueue.x-k8s.io/workload-slice-replacement-for"] = replaces;
  for (const int count : counts)
    object["spec"]["podSets"].push_back(
        {{"name", "set"}, {"count", count}, {"template", {{"spec", json::object()}}}});
  return object;
}

Workload Parsed(const json& object) {
  auto workload = ParseWorkload(object);
  REQUIRE(workload);
  return *std::move(workload);
}

json JobObject(int parallelism) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", "train"},
            {"namespace", "ml"},
            {"uid", "j1"},
            {"resourceVersion", "5"},
            {"annotations", {{"kueue.x-k8s.io/elastic-job", "true"}}}}},
          {"spec",
           {{"managedBy", "kueue.x-k8s.io/multikueue"},
            {"parallelism", parallelism},
            {"completions", 5},
            {"template", {{"spec", json::object()}}}}}};
}

json RayClusterObject(int small, int large) {
  json object = JobObject(0);
  object["apiVersion"] = "ray.io/v1";
  object["kind"] = "RayCluster";
  const json pods = {{"spec", json::object()}};
  object["spec"] = {
      {"managedBy", "kueue.x-k8s.io/multikueue"},
      {"headGroupSpec", {{"template", pods}}},
      {"workerGroupSpecs",
       {{{"groupName", "small"}, {"replicas", small}, {"template", pods}},
        {{"groupName", "large"}, {"replicas", large}, {"numOfHosts", 2}, {"template", pods}}}}};
  return object;
}

const JobAdapter& KindOf(const json& object) {
  const auto* kind = BuiltInKinds()->Find(object["apiVersion"].get<std::string>(),
                                          object["kind"].get<std::string>());
  REQUIRE(kind != nullptr);
  return *kind;
}

Job ParsedJob(const json& object) {
  auto job = KindOf(object).Parse(object);
  REQUIRE(job);
  return *std::move(job);
}

// As its worker shows it.
json CopyOf(json object, const std::string& workload) {
  object["metadata"]["uid"] = "r1";
  object["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  object["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] = workload;
  object["metadata"]["annotations"]["fedra.dev/workload-uid"] = "w1";
  object["spec"].erase("managedBy");
  return object;
}

}  // namespace

TEST_CASE("a Workload says which slice of an elastic job it is") {
  const Workload slice = Parsed(WorkloadObject({2, 3}, "ml/job-train-aaaaa"));
  REQUIRE(slice.slice != nullptr);
  CHECK(slice.slice->chain == kChain);
  CHECK(slice.slice->replaces == "job-train-aaaaa");
  CHECK(slice.slice->pod_counts == std::vector{2, 3});
  // A clone says the same.
  const auto clone = ParseClone(WorkloadObject({2, 3}));
  REQUIRE(clone);
  CHECK(clone->slice->replaces.empty());
  CHECK(clone->slice->pod_counts == std::vector{2, 3});
  // Kueue 0.17 and older write no name: it is the first one's.
  json old = WorkloadObject({1});
  old["metadata"]["annotations"].erase("kueue.x-k8s.io/workload-slice-name");
  CHECK(Parsed(old).slice->chain == "job-train-bbbbb");
  old["metadata"]["annotations"]["kueue.x-k8s.io/elastic-job"] = "false";
  CHECK(Parsed(old).slice == nullptr);
}

TEST_CASE("a clone's counts are lowered, and are never raised") {
  struct Row {
    std::vector<int> workload, clone;
    bool shrinks;
  };
  const Row row = GENERATE(values<Row>({{{1, 3}, {2, 3}, true},
                                        {{1, 1}, {2, 3}, true},
                                        {{2, 3}, {2, 3}, false},
                                        {{3, 3}, {2, 3}, false},
                                        {{1, 4}, {2, 3}, false},
                                        {{1}, {2, 3}, false}}));
  const Workload workload = Parsed(WorkloadObject(row.workload));
  const auto clone = ParseClone(WorkloadObject(row.clone));
  REQUIRE(clone);
  CHECK(IsToShrink(workload, *clone) == row.shrinks);
  json plain = WorkloadObject(row.clone);
  plain["metadata"].erase("annotations");
  CHECK_FALSE(IsToShrink(workload, *ParseClone(plain)));
}

TEST_CASE(
    "a clone that shrinks says that it replaces one, never itself, so that no Kueue compares it") {
  const char* replaces = GENERATE(as<const char*>(), nullptr, "ml/job-train-aaaaa");
  const Workload workload = Parsed(WorkloadObject({1}, replaces));
  json object = WorkloadObject({2}, replaces);
  object["metadata"]["uid"] = "c1";
  const auto clone = ParseClone(object);
  const auto patch = ClonePatch(workload, *clone, "");
  REQUIRE(patch);
  const json parsed = json::parse(*patch);
  CHECK(parsed["spec"]["podSets"] == WorkloadObject({1})["spec"]["podSets"]);
  CHECK(parsed["metadata"]["uid"] == "c1");
  CHECK(parsed["metadata"]["resourceVersion"] == "7");
  object.merge_patch(parsed);
  CHECK(object["metadata"]["annotations"]["kueue.x-k8s.io/workload-slice-replacement-for"] ==
        (replaces == nullptr ? "ml/job-train-bbbbb.shrunk" : replaces));
}

TEST_CASE("a clone that waits replaces the one by which its job runs there") {
  const Workload workload = Parsed(WorkloadObject({3}, "ml/job-train-aaaaa"));
  json object = WorkloadObject({3}, "ml/job-train-aaaaa");
  object["metadata"]["uid"] = "c1";
  const auto clone = ParseClone(object);
  Workload runs_by = Parsed(WorkloadObject({2}));
  runs_by.key.name = "job-train-aaaaa";
  CHECK_FALSE(ReplacesOther(*clone, runs_by));
  runs_by.key.name = "job-train-00000";
  CHECK(ReplacesOther(*clone, runs_by));
  const auto patch = ClonePatch(workload, *clone, runs_by.key.name);
  REQUIRE(patch);
  CHECK(json::parse(*patch) ==
        json::parse(R"({"metadata": {"uid": "c1", "resourceVersion": "7", "annotations": {
          "kueue.x-k8s.io/workload-slice-replacement-for": "ml/job-train-00000"}}})"));
  const auto body = CloneBody(workload, {"fedra", "m1"}, runs_by.key.name);
  REQUIRE(body);
  CHECK(json::parse(
            *body)["metadata"]["annotations"]["kueue.x-k8s.io/workload-slice-replacement-for"] ==
        "ml/job-train-00000");
}

TEST_CASE("the copy of an elastic job is out of date by its name or its size") {
  struct Row {
    const char* what;
    const char* names;
    int copy, job, workload;
    bool current;
  };
  const Row row = GENERATE(values<Row>({
      {"all is the same", "job-train-bbbbb", 2, 2, 2, true},
      {"it is another slice's", "job-train-aaaaa", 2, 2, 2, false},
      {"the job has shrunk, and its Workload with it", "job-train-bbbbb", 2, 1, 1, false},
      {"the Workload does not know yet", "job-train-bbbbb", 2, 1, 2, true},
      {"the job has grown: another slice is to come", "job-train-bbbbb", 2, 3, 2, true},
  }));
  INFO(row.what);
  const Job copy = ParsedJob(CopyOf(JobObject(row.copy), row.names));
  CHECK(IsUpToDate(copy, ParsedJob(JobObject(row.job)), Parsed(WorkloadObject({row.workload}))) ==
        row.current);
}

TEST_CASE("the copy of an elastic Job is made as large as its Workload") {
  struct Row {
    int job, workload, parallelism;
  };
  // Of five completions.
  const Row row = GENERATE(values<Row>({{2, 2, 2}, {4, 2, 2}, {1, 3, 3}, {9, 5, 9}, {9, 2, 2}}));
  const Workload workload = Parsed(WorkloadObject({row.workload}));
  const auto body =
      BatchJobAdapter().RemoteBody(ParsedJob(JobObject(row.job)), workload, {"fedra", "m1"});
  REQUIRE(body);
  CHECK(json::parse(*body)["spec"]["parallelism"] == row.parallelism);
}

TEST_CASE("the copy of an elastic RayCluster is made as large as its Workload") {
  struct Row {
    const char* what;
    int small, large;  // of the cluster; a large replica has two hosts
    std::vector<int> workload;
    int copied_small, copied_large;
  };
  const Row row = GENERATE(values<Row>({
      {"it has its size", 3, 1, {1, 3, 2}, 3, 1},
      {"it has grown", 4, 3, {1, 3, 2}, 3, 1},
      {"it has shrunk", 1, 1, {1, 3, 6}, 3, 3},
      {"it has shrunk to nothing", 0, 0, {1, 1, 2}, 1, 1},
      {"its hosts were changed, too", 3, 1, {1, 2, 3}, 2, 1},
      {"it has got a group", 3, 1, {1, 2}, 3, 1},
  }));
  INFO(row.what);
  const json object = RayClusterObject(row.small, row.large);
  const auto body = KindOf(object).RemoteBody(
      ParsedJob(object), Parsed(WorkloadObject(row.workload)), {"fedra", "m1"});
  REQUIRE(body);
  const json groups = json::parse(*body)["spec"]["workerGroupSpecs"];
  CHECK(groups[0]["replicas"] == row.copied_small);
  CHECK(groups[1]["replicas"] == row.copied_large);
  CHECK(groups[1]["numOfHosts"] == 2);
}

TEST_CASE("the copy of an elastic RayJob, which can follow no later, is made as large as the job") {
  json object = RayClusterObject(4, 1);
  object["kind"] = "RayJob";
  object["spec"] = {{"managedBy", "kueue.x-k8s.io/multikueue"}, {"rayClusterSpec", object["spec"]}};
  const auto body = KindOf(object).RemoteBody(ParsedJob(object), Parsed(WorkloadObject({1, 3, 2})),
                                              {"fedra", "m1"});
  REQUIRE(body);
  CHECK(json::parse(*body)["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["replicas"] == 4);
}

TEST_CASE("what an elastic job's size is decides, and is no progress") {
  CHECK_FALSE(IsProgress(ParsedJob(JobObject(2)), ParsedJob(JobObject(3))));
  json plain = JobObject(2);
  plain["metadata"].erase("annotations");
  CHECK(ParsedJob(plain).followed == 0);
  CHECK(ParsedJob(plain).pod_counts.empty());
  // As many pods as there are completions left, as Kueue counts them.
  CHECK(ParsedJob(JobObject(9)).pod_counts == std::vector{5});
  CHECK(ParsedJob(RayClusterObject(3, 1)).pod_counts == std::vector{1, 3, 2});
}

TEST_CASE("the copy of a Job goes to the new slice, with its size") {
  const json there = CopyOf(JobObject(2), "job-train-aaaaa");
  const Workload workload = Parsed(WorkloadObject({3}, "ml/job-train-aaaaa"));
  const auto patch = SlicePatch(there, ParsedJob(JobObject(3)), workload, {"fedra", "m1"});
  REQUIRE(patch);
  CHECK(json::parse(*patch) == json::parse(R"({"metadata": {"uid": "r1", "resourceVersion": "5",
          "labels": {"kueue.x-k8s.io/prebuilt-workload-name": "job-train-bbbbb"}, "annotations": {
          "kueue.x-k8s.io/prebuilt-workload-name": "job-train-bbbbb",
          "fedra.dev/workload-uid": "w2", "fedra.dev/manager-uid": "m1"}},
          "spec": {"parallelism": 3}})"));
  // One that has grown again meanwhile waits with that for the next slice.
  const auto renamed = SlicePatch(there, ParsedJob(JobObject(4)), workload, {"fedra", ""});
  REQUIRE(renamed);
  CHECK_FALSE(json::parse(*renamed).contains("spec"));
}

TEST_CASE("of a RayCluster the groups get their replicas, and keep what the worker's Kueue wrote") {
  json there = CopyOf(RayClusterObject(1, 1), "job-train-aaaaa");
  json& groups = there["spec"]["workerGroupSpecs"];
  groups[0]["template"]["spec"]["nodeSelector"] = {{"pool", "gpu"}};
  std::swap(groups[0], groups[1]);
  const Job job = ParsedJob(RayClusterObject(3, 2));
  const auto patch = SlicePatch(there, job, Parsed(WorkloadObject({1, 3, 4})), {"fedra", "m1"});
  REQUIRE(patch);
  json scaled = there;
  scaled.merge_patch(json::parse(*patch));
  groups[0]["replicas"] = 2;
  groups[1]["replicas"] = 3;
  CHECK(scaled["spec"] == there["spec"]);
}

TEST_CASE("which kinds have elastic jobs: those of which Kueue's webhooks take the annotation") {
  std::string scaled;
  for (const JobAdapter* kind : BuiltInKinds()->all())
    if (kind->scales()) scaled += kind->name() + " ";
  CHECK(scaled == "Job.batch RayCluster.ray.io RayJob.ray.io RayService.ray.io ");
}

}  // namespace fedra::tracking::elastic_test
