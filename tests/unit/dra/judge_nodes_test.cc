// Which nodes the scheduler examines, and where it cannot bind: seen on a real kube-scheduler
// 1.36.3 (docs/agreement.md).

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test {
namespace {

constexpr const char* kPod = R"({"spec": {
    "containers": [{"resources": {"requests": {"cpu": "2"}}}],
    "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})";

json Cpu(const char* amount) { return {{"status", {{"allocatable", {{"cpu", amount}}}}}}; }

void AskForModel(Worker& worker) {
  worker.Template(
      "t",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}})});
}

TEST_CASE("a node without room for the pod is not examined, its errors do not count") {
  Worker worker;
  AskForModel(worker);
  worker.Node("n1", json::object(), Cpu("4")).On("n1", {Device("a", {{"model", "x"}})});
  worker.Node("n2", json::object(), Cpu("1")).On("n2", {Device("a")});
  const auto pod = worker.Parse(kPod);
  CHECK(worker.Judge({pod}).verdict.outcome == dra::Outcome::kYes);
  dra::JudgeOptions roomy;
  roomy.node_resources = false;
  const auto judgement = worker.Judge({pod}, roomy);
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(judgement.pod_sets[0].aborted);
}

TEST_CASE("whatever room does not count, a plugin's resource must exist") {
  dra::JudgeOptions roomy;
  roomy.node_resources = false;
  Worker worker;
  const json plugin = {{"status", {{"allocatable", {{"cpu", "1"}, {"example.com/nic", "1"}}}}}};
  json emptied = plugin;
  emptied["status"]["allocatable"]["example.com/nic"] = "0";
  worker.Node("n1", json::object(), Cpu("1")).Node("n2", json::object(), emptied);
  worker.On("n1", Devices(1)).On("n2", Devices(1)).Template("t", {Request("r")});
  const auto pod = worker.Parse(R"({"spec": {
      "containers": [{"resources": {"requests": {"cpu": "9", "example.com/nic": "2"}}}],
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  const auto judgement = worker.Judge({pod}, roomy);
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kNodeResources);
  CHECK_THAT(First(judgement), ContainsSubstring("example.com/nic: 2 asked for, 0 free"));
  // How much there is is another question.
  worker.Node("n3", json::object(), plugin).On("n3", Devices(1));
  CHECK(worker.Judge({pod}, roomy).verdict.outcome == dra::Outcome::kYes);
  // A class may provide it instead.
  Worker backed;
  json nic = Class("nic");
  nic["spec"]["extendedResourceName"] = "example.com/nic";
  backed.AddClass(nic).Node("n1").On("n1", Devices(3)).Template("t", {Request("r")});
  CHECK(backed.Judge({pod}, roomy).verdict.outcome == dra::Outcome::kYes);
}

TEST_CASE("a node where an allocated claim cannot be used is examined, its errors count") {
  Worker worker;
  AskForModel(worker);
  worker.Node("n1").On("n1", {Device("a", {{"model", "x"}})});
  worker.Node("n2").On("n2", {Device("a")});
  json claim = Claim("bound", {Request("r")});
  claim["status"] = json::parse(R"({"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
      "devices": {"results": []}, "nodeSelector": {
      "nodeSelectorTerms": [{"matchFields": [
          {"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}})");
  worker.Add(claim);
  const auto pod = worker.Parse(R"({"spec": {"resourceClaims": [
      {"name": "b", "resourceClaimName": "bound"},
      {"name": "d", "resourceClaimTemplateName": "t"}]}})");
  auto judgement = worker.Judge({pod});
  CHECK(judgement.pod_sets[0].aborted);
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  worker.On("n2", {Device("a", {{"model", "y"}})}, {{"pool", {{"generation", 2}}}});
  judgement = worker.Judge({pod});
  CHECK(judgement.verdict.outcome == dra::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1"});
}

TEST_CASE("E6: room where the devices are is what is missing, and is said first") {
  Worker worker;
  worker.Node("n1", json::object(), Cpu("500m")).Node("n2", json::object(), Cpu("8"));
  worker.On("n1", Devices(1)).Template("t", {Request("r")});
  const char* text = R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}],
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})";
  auto judgement = worker.Judge({worker.Parse(text)});
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(Code(judgement) == ReasonCode::kNodeResources);
  CHECK(First(judgement) ==
        "there is no room on 1 of 2 nodes, which could take the pod otherwise: 1 cpu: 1 asked for, "
        "500m free");
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kNotEnoughDevices);
  CHECK(judgement.verdict.reasons[1].message ==
        "no node with room has devices for all requests; the nearest is n2 (request r: 0 of 1)");
  // Without the devices, room would not help.
  worker.Add(Holding("user", "gpu-0", {{"pool", "n1"}}));
  judgement = worker.Judge({worker.Parse(text)});
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  worker.Template("t", {All("r")});
  judgement = worker.Judge({worker.Parse(text)});
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK(judgement.verdict.reasons.back().code == ReasonCode::kNodeResources);
  CHECK_THAT(judgement.verdict.reasons.back().message,
             ContainsSubstring("no room on 1 of 2 nodes: 1 cpu"));
}

TEST_CASE("a pod that no node can take has no error, whatever its claims ask for") {
  Worker worker;
  worker.Node("n1", {{"zone", "a"}}).On("n1", Devices(2)).Template("t", {Request("r", 33)});
  auto judgement = worker.Pods(1, "t");
  CHECK(judgement.pod_sets[0].aborted);
  const auto pod = worker.Parse(R"({"spec": {"nodeSelector": {"zone": "b"},
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  judgement = worker.Judge({pod});
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK_FALSE(judgement.pod_sets[0].aborted);
}

TEST_CASE("a pod with claims is not bound where a device plugin has its extended resource") {
  dra::AllocatorFeatures features;
  Worker worker(features);
  json mapped = Class("gpu");
  mapped["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(mapped).Template("t", {Request("r")});
  worker.Node("plugin", json::object(),
              {{"status", {{"allocatable", {{"example.com/gpu", "4"}}}}}});
  worker.On("plugin", Devices(4));
  const char* both = R"({"spec": {
      "containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}],
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})";
  auto judgement = worker.Judge({worker.Parse(both)});
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(judgement.pod_sets[0].aborted);
  CHECK(
      First(judgement) ==
      "1 of 1 nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
      "bind a pod there that has claims as well");
  worker.Node("plain").On("plain", Devices(2));
  judgement = worker.Judge({worker.Parse(both)});
  CHECK(judgement.verdict.outcome == dra::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"plain"});
  const char* resource_only =
      R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "4"}}}]}})";
  judgement = worker.Judge({worker.Parse(resource_only)});
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"plugin"});
}

}  // namespace
}  // namespace fedra::test
