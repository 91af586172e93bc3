// Claims whose devices could not be bound: kube-scheduler uses such a claim on no node
// (isClaimReadyForBinding of its plugin DynamicResources, 1.36.3).

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::failed_binding_test {
namespace {

using verdict::Outcome;

// Holds gpu-0 and gpu-1 of n1, both of which must become Attached before pods are bound.
json Attaching() {
  json claim = Claim("shared", {Request("r", 2)});
  claim["status"] = json::parse(R"({
      "reservedFor": [{"uid": "u"}],
      "allocation": {
        "allocationTimestamp": "2026-01-01T00:00:00Z",
        "devices": {"results": [
          {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0",
           "bindingConditions": ["Attached"], "bindingFailureConditions": ["AttachFailed"]},
          {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-1",
           "bindingConditions": ["Attached"], "bindingFailureConditions": ["AttachFailed"]}]}},
      "devices": [
        {"driver": "gpu.example.com", "pool": "n1", "device": "gpu-0", "conditions": []},
        {"driver": "gpu.example.com", "pool": "n1", "device": "gpu-1", "conditions": []}]})");
  return claim;
}

json Condition(const char* type, const char* status) {
  return {{"type", type}, {"status", status}, {"reason", "Fabric"}, {"message", "no link"}};
}

json With(const std::vector<json>& first, const std::vector<json>& second) {
  json claim = Attaching();
  claim["status"]["devices"][0]["conditions"] = first;
  claim["status"]["devices"][1]["conditions"] = second;
  return claim;
}

dra::Judgement SubRequest(const json& claim, dra::AllocatorFeatures features = {}) {
  Worker worker(features);
  worker.Node("n1").Node("n2").On("n1", Devices(2)).On("n2", Devices(2)).Add(claim);
  return worker.Judge({worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})")});
}

struct Row {
  const char* why;
  json claim;
  bool failed;
};

TEST_CASE("a claim counts as failed as the scheduler finds out, result by result") {
  const json attached = Condition("Attached", "True");
  const json failed = Condition("AttachFailed", "True");
  json unknown = With({failed}, {});
  unknown["status"]["devices"][0]["pool"] = "other";
  json no_failure_conditions = With({failed}, {});
  no_failure_conditions["status"]["allocation"]["devices"]["results"][0].erase(
      "bindingFailureConditions");
  json no_binding_conditions = With({failed}, {});
  no_binding_conditions["status"]["allocation"]["devices"]["results"][0].erase("bindingConditions");
  const std::vector<Row> rows = {
      {"nothing is known yet: the pods wait", Attaching(), false},
      {"ready", With({attached}, {attached}), false},
      {"the first failed", With({failed}, {attached}), true},
      {"the second failed", With({attached}, {failed}), true},
      {"a failure counts before readiness", With({attached, failed}, {attached}), true},
      {"one that is not ready hides those behind it", With({}, {failed}), false},
      {"a condition that is not true", With({Condition("AttachFailed", "False")}, {}), false},
      {"the status of another device", unknown, false},
      {"a condition that the device does not name", no_failure_conditions, false},
      {"a device that needs no binding", no_binding_conditions, false},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    CHECK(SubRequest(row.claim).verdict.outcome == (row.failed ? Outcome::kNo : Outcome::kYes));
  }
}

TEST_CASE("the verdict names the claim, the device and the condition") {
  const auto judgement = SubRequest(With({Condition("AttachFailed", "True")}, {}));
  CHECK(Code(judgement) == ReasonCode::kNodeMismatch);
  CHECK(First(judgement) ==
        "0/2 nodes can run the pod: 2 excluded because ResourceClaim ml/shared could not be bound "
        "(AttachFailed "
        "of device gpu.example.com/n1/gpu-0) (nodes n1, n2)");
}

TEST_CASE("a failed claim that nobody has reserved is allocated anew") {
  json claim = With({Condition("AttachFailed", "True")}, {});
  claim["status"]["reservedFor"] = json::array();
  const auto judgement = SubRequest(claim);
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1"});
}

TEST_CASE("releases without binding conditions do not look") {
  dra::AllocatorFeatures features;
  features.binding_conditions = false;
  CHECK(SubRequest(With({Condition("AttachFailed", "True")}, {}), features).verdict.outcome ==
        Outcome::kYes);
}

}  // namespace
}  // namespace fedra::test::failed_binding_test
