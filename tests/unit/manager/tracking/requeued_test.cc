#include <nlohmann/json.hpp>

#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::tracking::requeued_test {

using nlohmann::json;

namespace {

json PreemptedPod(const char* status, const char* reason) {
  json object = json::parse(R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
    "metadata": {"name": "pod-train", "namespace": "ml", "uid": "w1", "resourceVersion": "7"},
    "spec": {"podSets": []},
    "status": {"conditions": [
      {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": ""},
      {"type": "Requeued", "message": "by another", "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})");
  object["status"]["conditions"][1]["status"] = status;
  object["status"]["conditions"][1]["reason"] = reason;
  return object;
}

}  // namespace

TEST_CASE("which Workloads Kueue leaves out of its queues for good") {
  struct Row {
    const char *status, *reason;
    bool is_left;
  };
  // The others wait for something that Kueue sees to itself.
  const Row row = GENERATE(values<Row>({{"False", "Preempted", true},
                                        {"False", "NodeFailures", true},
                                        {"True", "Preempted", false},
                                        {"False", "AdmissionCheck", false},
                                        {"False", "Deactivated", false},
                                        {"False", "Inadmissible", false}}));
  const auto workload = ParseWorkload(PreemptedPod(row.status, row.reason));
  REQUIRE(workload);
  CHECK(workload->is_left_unqueued == row.is_left);
  CHECK((workload->text != nullptr) == row.is_left);
}

TEST_CASE("a Workload is queued again by the condition that Kueue writes of others") {
  const auto workload = ParseWorkload(PreemptedPod("False", "Preempted"));
  REQUIRE(workload);
  const auto patch = RequeuedPatch(*workload, WallTime(std::chrono::hours(24)));
  REQUIRE(patch);
  json expected = PreemptedPod("True", "Preempted")["status"]["conditions"];
  expected[1]["lastTransitionTime"] = "1970-01-02T00:00:00Z";
  CHECK(json::parse(*patch) ==
        json{{"metadata", {{"resourceVersion", "7"}}}, {"status", {{"conditions", expected}}}});
}

}  // namespace fedra::tracking::requeued_test
