// Which nodes the scheduler examines, and where it cannot bind: seen on a real kube-scheduler
// 1.36.3 (docs/agreement.md).

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::judge_nodes_test {
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
  CHECK(worker.Judge({pod}).verdict.outcome == verdict::Outcome::kYes);
  dra::JudgeOptions roomy;
  roomy.node_resources = false;
  const auto judgement = worker.Judge({pod}, roomy);
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
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
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kResourceMissing);
  CHECK(First(judgement) ==
        "no node has example.com/nic, and no DeviceClass has it as extendedResourceName");
  // How much there is is another question.
  worker.Node("n3", json::object(), plugin).On("n3", Devices(1));
  CHECK(worker.Judge({pod}, roomy).verdict.outcome == verdict::Outcome::kYes);
  // A class may provide it instead.
  Worker backed;
  json nic = Class("nic");
  nic["spec"]["extendedResourceName"] = "example.com/nic";
  backed.AddClass(nic).Node("n1").On("n1", Devices(3)).Template("t", {Request("r")});
  CHECK(backed.Judge({pod}, roomy).verdict.outcome == verdict::Outcome::kYes);
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
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
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
  CHECK(Code(judgement) == ReasonCode::kNodesTooSmall);
  CHECK(First(judgement) ==
        "no node with the devices is large enough: each pod asks for 1 cpu, the largest node has "
        "500m");
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kNotEnoughDevices);
  CHECK(verdict::MessageOf(judgement.verdict.reasons[1]) ==
        "no node with room has devices for all requests; the nearest is n2 (request r: 0 of 1)");
  // That the device is in use as well changes nothing: waiting for it would be in vain.
  worker.Add(Holding("user", "gpu-0", {{"pool", "n1"}}));
  for (const json& request : {Request("r"), All("r")}) {
    worker.Template("t", {request});
    judgement = worker.Judge({worker.Parse(text)});
    CHECK(Code(judgement) == ReasonCode::kNodesTooSmall);
    CHECK(judgement.verdict.reasons.back().code == ReasonCode::kDevicesAllocated);
    CHECK_FALSE(judgement.verdict.fits_when_free);
  }
}

TEST_CASE("a pod that no node can take has no error, whatever its claims ask for") {
  Worker worker;
  worker.Node("n1", {{"zone", "a"}}).On("n1", Devices(2)).Template("t", {Request("r", 33)});
  auto judgement = worker.Pods(1, "t");
  CHECK(judgement.pod_sets[0].aborted);
  const auto pod = worker.Parse(R"({"spec": {"nodeSelector": {"zone": "b"},
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  judgement = worker.Judge({pod});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
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
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(judgement.pod_sets[0].aborted);
  CHECK(
      First(judgement) ==
      "1 of 1 nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
      "bind a pod there that has claims as well");
  worker.Node("plain").On("plain", Devices(2));
  judgement = worker.Judge({worker.Parse(both)});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"plain"});
  const char* resource_only =
      R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "4"}}}]}})";
  judgement = worker.Judge({worker.Parse(resource_only)});
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"plugin"});
}

// One pod with a device and so much cpu and memory, and what the node n1 has.
struct RoomRow {
  const char* why;
  const char* requests;
  json allocatable;
  dra::Amounts used;
  ReasonCode code;
  const char* text;
};

TEST_CASE("too little room now is not too small a node, and units can be read") {
  const dra::Amounts some = {{Symbol("cpu"), Quantity(61)},
                             {Symbol("memory"), *Quantity::Parse("40Gi")}};
  const std::vector<RoomRow> rows = {
      {"busy",
       R"({"cpu": "4"})",
       {{"cpu", "64"}, {"memory", "65843972Ki"}},
       some,
       ReasonCode::kNodeResources,
       "there is no room now on 1 of 1 node, which could take the pod otherwise: each pod asks for "
       "4 cpu, at most 3 is free on one node"},
      {"never",
       R"({"cpu": "4k"})",
       {{"cpu", "64"}},
       {},
       ReasonCode::kNodesTooSmall,
       "no node is large enough: each pod asks for 4000 cpu, the largest node has 64"},
      {"never, and busy",
       R"({"cpu": "4k"})",
       {{"cpu", "64"}},
       some,
       ReasonCode::kNodesTooSmall,
       "no node is large enough: each pod asks for 4000 cpu, the largest node has 64"},
      {"memory, busy",
       R"({"memory": "32Gi"})",
       {{"memory", "65843972Ki"}},
       some,
       ReasonCode::kNodeResources,
       "each pod asks for 32Gi memory, at most 22.7Gi is free on one node"},
      {"memory, never",
       R"({"memory": "64Gi"})",
       {{"memory", "65843972Ki"}},
       {},
       ReasonCode::kNodesTooSmall,
       "no node is large enough: each pod asks for 64Gi memory, the largest node has 62.7Gi"},
      {"what can never be had is named, whatever else is busy",
       R"({"cpu": "4", "memory": "64Gi"})",
       {{"cpu", "64"}, {"memory", "32Gi"}},
       some,
       ReasonCode::kNodesTooSmall,
       "each pod asks for 64Gi memory, the largest node has 32Gi"},
      {"no more pods",
       "{}",
       {{"cpu", "4"}, {"pods", "110"}},
       {{Symbol("pods"), Quantity(110)}},
       ReasonCode::kNodeResources,
       "they run as many pods as they may (at most 110 on one node)"},
  };
  for (const RoomRow& row : rows) {
    INFO(row.why);
    Worker worker;
    worker.Node("n1", json::object(), {{"status", {{"allocatable", row.allocatable}}}});
    worker.On("n1", Devices(2)).Template("t", {Request("r")});
    const std::string pod = std::string(R"({"spec": {"containers": [{"resources": {"requests": )") +
                            row.requests + R"(}}], "resourceClaims": [
                            {"name": "d", "resourceClaimTemplateName": "t"}]}})";
    const auto used = Used({{Symbol("n1"), row.used}});
    const auto judgement = worker.Judge({worker.Parse(pod.c_str())}, {.used = used});
    REQUIRE(judgement.verdict.reasons.size() == 1);
    CHECK(Code(judgement) == row.code);
    CHECK_THAT(First(judgement), ContainsSubstring(row.text));
    const verdict::Facts& facts = judgement.verdict.reasons[0].facts;
    if (const auto* room = std::get_if<verdict::NodeRoom>(&facts)) {
      REQUIRE(room->resources.size() == 1);
      CHECK(room->resources[0].nodes == 1);
    } else {
      CHECK(std::get<verdict::NoSuchResource>(facts).resource.nodes == 1);
    }
  }
}

TEST_CASE("a busy node with the devices is worth waiting for, whatever other nodes lack") {
  Worker worker;
  worker.Node("n1", json::object(), Cpu("8")).Node("n2", json::object(), Cpu("8"));
  worker.On("n1", Devices(1)).Template("t", {Request("r")});
  const auto pod = worker.Parse(R"({"spec": {
      "containers": [{"resources": {"requests": {"cpu": "4"}}}],
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  const auto used = Used({{Symbol("n1"), {{Symbol("cpu"), Quantity(6)}}}});
  const auto judgement = worker.Judge({pod}, {.used = used});
  REQUIRE(judgement.verdict.reasons.size() == 1);
  CHECK(Code(judgement) == ReasonCode::kNodeResources);
  CHECK(First(judgement) ==
        "there is no room now on 1 of 2 nodes, which could take the pod otherwise: each pod asks "
        "for 4 cpu, at most 2 is free on one node");
  // Other pods of the same job do not go away.
  const auto own = worker.Judge({worker.Parse(R"({"spec": {
      "containers": [{"resources": {"requests": {"cpu": "5"}}}]}})",
                                              3)});
  REQUIRE(own.verdict.reasons.size() == 2);
  CHECK(own.verdict.reasons[1].code == ReasonCode::kNodesTooSmall);
  CHECK(verdict::MessageOf(own.verdict.reasons[1]) ==
        "the nodes have room for 2 of 3 pods, even when nothing else runs there: each pod asks for "
        "5 cpu, the largest node has 8");
}

TEST_CASE("a resource that nobody provides is named, with what may have been meant") {
  const auto answer = [](Worker& worker, const std::string& resource) {
    const std::string pod =
        R"({"spec": {"containers": [{"resources": {"requests": {")" + resource + R"(": "1"}}}]}})";
    const auto judgement = worker.Judge({worker.Parse(pod.c_str())});
    CHECK(Code(judgement) == ReasonCode::kResourceMissing);
    return First(judgement);
  };
  Worker worker;
  worker.Node("n1", json::object(), Cpu("4")).AddClass(Class("gpu.example.com"));
  const std::string nobody =
      "no node has gpu.example.com/gpu, and no DeviceClass has it as extendedResourceName";
  CHECK(answer(worker, "gpu.example.com/gpu") ==
        nobody + " (did you mean deviceclass.resource.kubernetes.io/gpu.example.com?)");
  json mapped = Class("h100");
  mapped["spec"]["extendedResourceName"] = "gpu.example.com/h100";
  worker.AddClass(mapped);
  CHECK(answer(worker, "gpu.example.com/gpu") == nobody + " (did you mean gpu.example.com/h100?)");
  CHECK(answer(worker, "other.example.com/gpu") ==
        "no node has other.example.com/gpu, and no DeviceClass has it as extendedResourceName");
  CHECK(answer(worker, "deviceclass.resource.kubernetes.io/special") ==
        "no node has deviceclass.resource.kubernetes.io/special, and there is no DeviceClass "
        "special");
  CHECK(answer(worker, "hugepages-1Gi") == "no node has hugepages-1Gi");
  worker.Node("n2", json::object(), {{"status", {{"allocatable", {{"nic.example.com/vf", "4"}}}}}});
  CHECK_THAT(answer(worker, "nic.example.com/pf"),
             ContainsSubstring("(did you mean nic.example.com/vf?)"));
}

}  // namespace
}  // namespace fedra::test::judge_nodes_test
