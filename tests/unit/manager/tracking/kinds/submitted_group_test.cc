// A group of pods as it is written: the job that Kueue makes of it.

#include "manager/tracking/kinds/submitted_group.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/pod.h"
#include "tests/support/catch.h"

namespace fedra::tracking::submitted_group_test {

using nlohmann::json;

namespace {

const ObjectKey kGroup{"ml", "train"};

// Of the group, with as much cpu; what alike pods are, `role` says where Kueue has seen them.
json PodOf(const std::string& name, const std::string& cpu = "1", const std::string& role = "") {
  json container = {{"name", "c"}, {"image", "i"}};
  container["resources"]["requests"]["cpu"] = cpu;
  json pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", name},
        {"labels",
         {{"kueue.x-k8s.io/queue-name", "gpu"}, {"kueue.x-k8s.io/pod-group-name", "train"}}},
        {"annotations", {{"kueue.x-k8s.io/pod-group-total-count", "2"}}}}},
      {"spec", {{"containers", json::array({container})}}}};
  if (!role.empty()) pod["metadata"]["annotations"]["kueue.x-k8s.io/role-hash"] = role;
  return pod;
}

Result<SubmittedJob> Read(const std::vector<json>& pods) {
  std::vector<const json*> all;
  for (const json& pod : pods) all.push_back(&pod);
  return ParseSubmittedGroup(all, PodAdapter(), kGroup);
}

// "main 2, other 1".
std::string PodSetsOf(const SubmittedJob& job) {
  std::string text;
  for (const PodSet& set : job.requirement.pod_sets)
    text += (text.empty() ? "" : ", ") + set.name + " " + std::to_string(set.count);
  return text;
}

}  // namespace

TEST_CASE("the pods of a group that ask for the same are one pod set") {
  struct Row {
    std::vector<json> pods;
    const char* sets;
  };
  const std::vector<Row> rows = {
      {{PodOf("b"), PodOf("a")}, "b 2"},
      {{PodOf("a"), PodOf("b", "2")}, "a 1, b 1"},
      // As Kueue's webhook has it, and sorts them.
      {{PodOf("a", "1", "role"), PodOf("b", "2", "role")}, "role 2"},
      {{PodOf("a", "1", "second"), PodOf("b", "1", "first")}, "first 1, second 1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sets);
    const auto job = Read(row.pods);
    REQUIRE(job);
    CHECK(PodSetsOf(*job) == row.sets);
    CHECK(job->key == kGroup);
    CHECK(job->is_group);
    CHECK(job->members == std::vector<ObjectKey>{{"ml", "a"}, {"ml", "b"}});
    CHECK(job->requirement.ns == "ml");
    CHECK(job->requirement.queue == "gpu");
    CHECK(job->requirement.kind == "Pod group");
  }
}

TEST_CASE("of what Kueue makes no group it is said why") {
  json untold = PodOf("a");
  untold["metadata"].erase("annotations");
  json of_three = PodOf("b");
  of_three["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = "3";
  json of_another_queue = PodOf("b");
  of_another_queue["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "cpu";
  struct Row {
    std::vector<json> pods;
    const char* why;
  };
  const std::vector<Row> rows = {
      {{PodOf("a")}, "1 of the 2 pods of the group are in the input"},
      {{PodOf("a"), PodOf("b"), PodOf("c")}, "3 pods of the group are in the input, and it has 2"},
      {{untold}, "does not say how many pods the group has"},
      {{PodOf("a"), of_three}, "2, and 3 in pod b"},
      {{PodOf("a"), of_another_queue}, "\"gpu\", and \"cpu\" in pod b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    const auto job = Read(row.pods);
    REQUIRE_FALSE(job);
    CHECK(job.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(job.error().message, ContainsSubstring(row.why));
  }
}

TEST_CASE("a group that is admitted with its first pod is as many like it") {
  json pod = PodOf("a");
  pod["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-fast-admission"] = "true";
  const auto job = Read({pod});
  REQUIRE(job);
  CHECK(PodSetsOf(*job) == "a 2");
}

}  // namespace fedra::tracking::submitted_group_test
