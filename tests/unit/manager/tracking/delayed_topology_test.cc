// A Workload whose place in a topology the manager's Kueue leaves to the worker.

#include <nlohmann/json.hpp>

#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::tracking::delayed_topology_test {

using nlohmann::json;

namespace {

constexpr WallTime kNow{std::chrono::hours(24)};

// Of three pod sets the first and the last one wait.
json Delayed() {
  return json::parse(R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
    "metadata": {"name": "job-train", "namespace": "ml", "uid": "w1", "resourceVersion": "7"},
    "spec": {"podSets": []},
    "status": {
      "admission": {"clusterQueue": "gpu", "podSetAssignments": [
        {"name": "a", "count": 1, "flavors": {"cpu": "x"}, "delayedTopologyRequest": "Pending"},
        {"name": "b", "count": 2, "flavors": {"cpu": "x"}},
        {"name": "c", "count": 3, "delayedTopologyRequest": "Pending"}]},
      "admissionChecks": [{"name": "mk", "state": "Pending", "message": "",
                           "lastTransitionTime": "1970-01-01T00:00:00Z"}],
      "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                      "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z"}]}})");
}

Workload Parsed(const json& object) {
  auto workload = ParseWorkload(object);
  REQUIRE(workload);
  return *std::move(workload);
}

json Patched(const json& object, CheckState state) {
  const StatusChange change{.check = "mk",
                            .state = state,
                            .message = "admitted",
                            .nominated = std::vector<std::string>(),
                            .cluster_name = "east"};
  const auto patch = StatusPatch(Parsed(object), change, kNow);
  REQUIRE(patch);
  json patched = object;
  patched.merge_patch(json::parse(*patch));
  return patched;
}

}  // namespace

TEST_CASE("a check that becomes Ready completes what Kueue has left to the worker, in one write") {
  CHECK(Parsed(Delayed()).awaits_topology);
  const json placed = Patched(Delayed(), CheckState::kReady);
  json expected = Delayed()["status"]["admission"];
  expected["podSetAssignments"][0]["delayedTopologyRequest"] = "Ready";
  expected["podSetAssignments"][2]["delayedTopologyRequest"] = "Ready";
  CHECK(placed["status"]["admission"] == expected);
  CHECK(placed["status"]["clusterName"] == "east");
  CHECK_FALSE(Parsed(placed).awaits_topology);
  // As an apply of the whole status, likewise.
  const Workload workload = Parsed(Delayed());
  const StatusChange change{.check = "mk",
                            .state = CheckState::kReady,
                            .message = "admitted",
                            .nominated = {},
                            .cluster_name = {}};
  const auto apply = StatusApply(workload, StatusPatch(workload, change, kNow).value());
  REQUIRE(apply);
  CHECK(json::parse(*apply)["status"]["admission"] == expected);
}

TEST_CASE("no other write touches the admission") {
  for (const CheckState state : {CheckState::kPending, CheckState::kRetry, CheckState::kRejected})
    CHECK(Patched(Delayed(), state)["status"]["admission"] == Delayed()["status"]["admission"]);
  json plain = Delayed();
  for (json& assignment : plain["status"]["admission"]["podSetAssignments"])
    assignment.erase("delayedTopologyRequest");
  CHECK_FALSE(Parsed(plain).awaits_topology);
  const StatusChange change{.check = "mk",
                            .state = CheckState::kReady,
                            .message = "admitted",
                            .nominated = {},
                            .cluster_name = {}};
  const auto patch = StatusPatch(Parsed(plain), change, kNow);
  REQUIRE(patch);
  CHECK_FALSE(json::parse(*patch)["status"].contains("admission"));
}

}  // namespace fedra::tracking::delayed_topology_test
