// Pools that are not of one node: what is said about their devices, and that they are counted.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::roaming_test {
namespace {

using verdict::Outcome;

const json kPerDevice = {
    {"nodeName", nullptr}, {"perDeviceNodeSelection", true}, {"pool", {{"name", "fabric"}}}};
const json kEverywhere = {
    {"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "fabric"}}}};

json Of(const char* node, const json& more = json::object()) {
  json device = Device(std::string("of-") + node, json::object(), {{"nodeName", node}});
  device.update(more);
  return device;
}

json Tainted() { return {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}}; }

TEST_CASE("each device is explained by a node that reaches it") {
  Worker worker;
  worker.Node("n1").Node("n2").On("x", {Of("n1", Tainted()), Of("n2")}, kPerDevice);
  json holder = Holding("train", "of-n2", {{"pool", "fabric"}});
  holder["metadata"]["namespace"] = "ml";
  worker.Add(holder).Template("t", {Request("r")});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK(verdict::CountsText(judgement.pod_sets[0].requests[0].Counts()) ==
        "2 devices: 1 tainted NoSchedule k (by its driver), 1 allocated (ml/train)");
}

TEST_CASE("only devices that no usable node reaches are on nodes the pod cannot use") {
  Worker worker;
  worker.Node("n1", {{"zone", "a"}}).Node("n2");
  worker.On("x", {Of("n1", Tainted()), Of("n2"), Of("n3")}, kPerDevice);
  worker.Template("t", {Request("r")});
  const auto judgement = worker.Judge({worker.Parse(R"({"spec": {"nodeSelector": {"zone": "a"},
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})")});
  CHECK(verdict::CountsText(judgement.pod_sets[0].requests[0].Counts()) ==
        "3 devices: 2 on nodes the pod cannot use, 1 tainted NoSchedule k (by its driver)");
}

TEST_CASE("what a node reaches of several pools adds up") {
  Worker worker;
  worker.Node("a0").Node("n1").On("n1", Devices(1)).On("x", Devices(2), kEverywhere);
  worker.Template("t", {Request("r", 4)});
  const auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.pod_sets[0].requests[0].free == 3);
  CHECK(judgement.pod_sets[0].requests[0].most_on_one_node == 3);
}

TEST_CASE("a pool that one node sees broken serves by another node") {
  Worker worker;
  const json far = {
      {"nodeName", nullptr},
      {"nodeSelector",
       {{"nodeSelectorTerms",
         {{{"matchExpressions", {{{"key", "zone"}, {"operator", "In"}, {"values", {"a"}}}}}}}}}},
      {"pool", {{"name", "fabric"}, {"resourceSliceCount", 2}}}};
  worker.Node("n1", {{"zone", "a"}}).Node("n2", {{"zone", "a"}});
  worker.On("x", Devices(1), far).Template("t", {Request("r", 2)});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kPoolIncomplete);
}

}  // namespace
}  // namespace fedra::test::roaming_test
