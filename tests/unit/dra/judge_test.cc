// Verdicts on devices: how many pods fit, and why not.

#include "dra/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test {
namespace {

TEST_CASE("all pods fit: over several nodes, with the rest as headroom") {
  Worker worker;
  worker.Node("n1")
      .Node("n2")
      .On("n1", Devices(2))
      .On("n2", Devices(2))
      .Template("one", {Request("r")});
  const auto judgement = worker.Pods(3, "one");
  CHECK(judgement.verdict.outcome == dra::Outcome::kYes);
  CHECK(judgement.verdict.pods_fitting == 3);
  CHECK(judgement.verdict.headroom == 1);
  CHECK(judgement.verdict.reasons.empty());
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1", "n1", "n2"});
}

TEST_CASE("k of n pods fit: the count, and what the next one lacks") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("one", {Request("r")});
  const auto judgement = worker.Pods(4, "one");
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(Code(judgement) == ReasonCode::kPodsDoNotFit);
  CHECK(First(judgement) == "2 of 4 pods fit");
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kDevicesAllocated);
  CHECK_THAT(judgement.verdict.reasons[1].message,
             ContainsSubstring("2 devices: 2 taken by other pods of this job"));
}

TEST_CASE("the explanation counts every device once, under the first thing against it") {
  Worker worker;
  worker.AddClass(Class("h100", {R"(device.driver == "gpu.example.com" &&)"
                                 R"( device.attributes["gpu.example.com"].model == "h100")"}));
  const json maintenance = {{"taints", {{{"key", "maintenance"}, {"effect", "NoSchedule"}}}}};
  std::vector<json> devices;
  for (int i = 0; i < 6; ++i)
    devices.push_back(Device("old-" + std::to_string(i), {{"model", "a100"}, {"size", 1}}));
  for (int i = 0; i < 6; ++i)
    devices.push_back(Device("small-" + std::to_string(i), {{"model", "h100"}, {"size", 1}}));
  for (int i = 0; i < 3; ++i)
    devices.push_back(Device("used-" + std::to_string(i), {{"model", "h100"}, {"size", 2}}));
  devices.push_back(Device("broken", {{"model", "h100"}, {"size", 2}}, maintenance));
  worker.Node("n1").On("n1", devices);
  worker.On("n1", Devices(8), {{"driver", "nic.example.com"}});
  worker.Template(
      "t", {Request("r", 1,
                    {{"deviceClassName", "h100"},
                     {"selectors", Cel({R"(device.attributes["gpu.example.com"].size == 2)"})}})});
  for (int i = 0; i < 3; ++i)
    worker.Add(
        Holding("train-" + std::to_string(i % 2), "used-" + std::to_string(i), {{"pool", "n1"}}));
  worker.Add(Holding("train-2", "used-0", {{"pool", "n1"}}));
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK_THAT(First(judgement),
             ContainsSubstring(
                 R"(24 devices: 8 other driver, 6 fail class selector )"
                 R"(device.attributes["gpu.example.com"].model == "h100", )"
                 R"(6 fail request selector device.attributes["gpu.example.com"].size == 2, )"
                 R"(1 tainted NoSchedule maintenance, )"));
  CHECK(judgement.pod_sets[0].requests[0].devices == 24);
}

struct Row {
  const char* why;
  std::function<void(Worker&)> make;
  ReasonCode code;
  const char* text;
};

TEST_CASE("each shortage has its own reason and counts") {
  const std::vector<Row> rows = {
      {"no driver", [](Worker& w) { w.On("n1", Devices(2), {{"driver", "x"}}); },
       ReasonCode::kDriverMissing, "2 devices: 2 other driver"},
      {"nothing published", [](Worker&) {}, ReasonCode::kDriverMissing, "no devices"},
      {"other nodes only", [](Worker& w) { w.Node("n2", {{"no", "yes"}}).On("gone", Devices(2)); },
       ReasonCode::kNodeMismatch, "2 on nodes the pod cannot use"},
      {"too few", [](Worker& w) { w.On("n1", Devices(1)); }, ReasonCode::kNotEnoughDevices,
       "1 device: 1 free"},
      {"spread over nodes",
       [](Worker& w) { w.Node("n2").On("n1", Devices(1)).On("n2", Devices(1)); },
       ReasonCode::kNotEnoughDevices, "wants 2 on one node"},
      {"allocated",
       [](Worker& w) { w.On("n1", Devices(2)).Add(Holding("x", "gpu-0", {{"pool", "n1"}})); },
       ReasonCode::kDevicesAllocated, "1 allocated (other/x), 1 free"},
      {"tainted",
       [](Worker& w) {
         w.On("n1",
              Devices(2, json::object(),
                      {{"taints", {{{"key", "k"}, {"value", "v"}, {"effect", "NoExecute"}}}}}));
       },
       ReasonCode::kDeviceTainted, "2 tainted NoExecute k=v"},
      {"incomplete",
       [](Worker& w) { w.On("n1", Devices(2), {{"pool", {{"resourceSliceCount", 2}}}}); },
       ReasonCode::kPoolIncomplete, "2 in incomplete or invalid pools"},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Worker worker;
    worker.Node("n1").Template("two", {Request("r", 2)});
    row.make(worker);
    const auto judgement = worker.Pods(1, "two");
    CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
    CHECK(Code(judgement) == row.code);
    CHECK_THAT(First(judgement), ContainsSubstring(row.text));
  }
}

TEST_CASE("a constraint that cannot hold is named, with the node that came closest") {
  Worker worker;
  worker.Node("n1").Node("n2");
  worker.On("n1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}})});
  worker.On("n2", {Device("a", {{"g", 1}})});
  worker.Template("t", {Request("x"), Request("y")}, {Match("gpu.example.com/g", {"x", "y"})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kConstraintUnsatisfied);
  CHECK(First(judgement) ==
        "constraint matchAttribute gpu.example.com/g over requests x, y cannot hold on node n1");
}

TEST_CASE("counters that ran out are named with what is left (S5)") {
  const auto partition = [](const char* name, const char* size) {
    return Device(name, json::object(),
                  {{"consumesCounters",
                    {{{"counterSet", "gpu-0"}, {"counters", {{"memory", {{"value", size}}}}}}}}});
  };
  Worker worker;
  const json two = {{"pool", {{"resourceSliceCount", 2}}}};
  json sets = two;
  sets["sharedCounters"] = {{{"name", "gpu-0"}, {"counters", {{"memory", {{"value", "8Gi"}}}}}}};
  worker.Node("n1").On("n1", {}, sets);
  worker.On("n1", {partition("full", "8Gi"), partition("a", "5Gi"), partition("b", "5Gi")}, two);
  worker.Add(Holding("x", "a", {{"pool", "n1"}}));
  worker.Template("one", {Request("r")});
  const auto judgement = worker.Pods(1, "one");
  CHECK(Code(judgement) == ReasonCode::kCountersExhausted);
  CHECK_THAT(First(judgement), ContainsSubstring("1 need 5Gi of gpu-0/memory (3Gi left)"));
  CHECK_THAT(First(judgement), ContainsSubstring("1 need 8Gi of gpu-0/memory (3Gi left)"));
}

TEST_CASE("a selector error on one node refuses the pod although another node fits (dra.md 12.4)") {
  Worker worker;
  worker.Node("n1").Node("n2");
  worker.On("n1", {Device("a", {{"model", "x"}})}).On("n2", {Device("a")});
  worker.Template(
      "t",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  CHECK_THAT(First(judgement), ContainsSubstring("on node n2"));
}

TEST_CASE(
    "All beside an incomplete pool of another driver is that pool's fault, not a selector's") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("a")});
  worker.On("n1", {Device("x")},
            {{"driver", "nic.example.com"}, {"pool", {{"resourceSliceCount", 2}}}});
  worker.Template("t", {Request("r", 1, {{"allocationMode", "All"}, {"count", nullptr}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kPoolIncomplete);
  CHECK_THAT(First(judgement), ContainsSubstring("nic.example.com/n1 is currently being updated"));
}

TEST_CASE("a node that the pod cannot use is not looked at, its errors do not count (12.4)") {
  Worker worker;
  worker.Node("n1", {{"pool", "good"}}).Node("n2");
  worker.On("n1", {Device("a", {{"model", "x"}})}).On("n2", {Device("a")});
  worker.Template(
      "t",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}})});
  dra::PodDemand demand = worker.Parse(
      R"({"spec": {"nodeSelector": {"pool": "good"}, "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  CHECK(worker.Judge({demand}).verdict.outcome == dra::Outcome::kYes);
}

TEST_CASE("trap 5: missing classes, templates and claims, each named") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1));
  worker.Template(
      "t", {FirstAvailable("f", {Request("x"), Request("y", 1, {{"deviceClassName", "none"}})})});
  auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDeviceClassMissing);
  CHECK(judgement.verdict.reasons[0].object == "DeviceClass none");
  judgement = worker.Pods(1, "absent");
  CHECK(Code(judgement) == ReasonCode::kTemplateMissing);
  dra::PodDemand demand;
  demand.claims = {{.pod_claim = "d", .template_name = "", .claim_name = "gone"}};
  judgement = worker.Judge({demand});
  CHECK(Code(judgement) == ReasonCode::kClaimMissing);
}

TEST_CASE("nodes that cannot take the pod are counted by reason") {
  Worker worker;
  worker.Node("n1", json::object(), {{"spec", {{"unschedulable", true}}}});
  worker.Node(
      "n2", json::object(),
      {{"spec", {{"taints", {{{"key", "gpu"}, {"value", "yes"}, {"effect", "NoSchedule"}}}}}}});
  worker.Node("n3").On("n1", Devices(1)).Template("one", {Request("r")});
  dra::PodDemand demand = worker.Parse(
      R"({"spec": {"nodeSelector": {"pool": "a"}, "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})");
  const auto judgement = worker.Judge({demand});
  CHECK(Code(judgement) == ReasonCode::kNodeMismatch);
  CHECK(First(judgement) ==
        "0 of 3 nodes can take the pod: 2 nodeSelector pool=a, 1 unschedulable");
}

TEST_CASE("room for cpu and pods limits how many fit, unless switched off") {
  Worker worker;
  worker.Node("n1", json::object(),
              {{"status", {{"allocatable", {{"cpu", "4"}, {"pods", "10"}}}}}});
  worker.On("n1", Devices(8)).Template("one", {Request("r")});
  const char* pod =
      R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "1500m"}}}],
          "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})";
  auto judgement = worker.Judge({worker.Parse(pod, 3)});
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(judgement.verdict.reasons.back().code == ReasonCode::kNodeResources);
  CHECK_THAT(judgement.verdict.reasons.back().message,
             ContainsSubstring("cpu: 1500m asked for, 1 free"));
  judgement = worker.Judge({worker.Parse(pod, 3)}, {.node_resources = false});
  CHECK(judgement.verdict.pods_fitting == 3);
  const std::map<Text, dra::Amounts> used = {{Text("n1"), {{Text("cpu"), Quantity(4)}}}};
  judgement = worker.Judge({worker.Parse(pod, 1)}, {.used = &used});
  CHECK(judgement.verdict.pods_fitting == 0);
}

TEST_CASE("several pod sets share what there is") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3)).Template("one", {Request("r")});
  dra::PodDemand leader = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})");
  dra::PodDemand workers = leader;
  workers.count = 2;
  CHECK(worker.Judge({leader, workers}).verdict.outcome == dra::Outcome::kYes);
  workers.count = 3;
  const auto judgement = worker.Judge({leader, workers});
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 3);
  CHECK(judgement.verdict.pods_wanted == 4);
}

TEST_CASE("a named claim is allocated once and binds all its pods to the node (S3, N3)") {
  Worker worker;
  worker.Node("n1", json::object(), {{"status", {{"allocatable", {{"pods", "2"}}}}}});
  worker.Node("n2").On("n1", Devices(1)).On("n2", Devices(1));
  worker.Add(Claim("shared", {Request("r")}));
  const char* pod =
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})";
  auto judgement = worker.Judge({worker.Parse(pod, 2)});
  CHECK(judgement.verdict.outcome == dra::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1", "n1"});
  judgement = worker.Judge({worker.Parse(pod, 3)});
  CHECK(judgement.verdict.pods_fitting == 2);  // the third would have to be on n1 as well
}

TEST_CASE("trap 42: an allocated named claim restricts the nodes and needs no device") {
  Worker worker;
  worker.Node("n1").Node("n2").On("n1", Devices(1));
  json claim = Claim("shared", {Request("r")});
  claim["status"] =
      json::parse(R"({"allocation": {"nodeSelector": {"nodeSelectorTerms": [{"matchFields":
      [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]},
      "devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}}})");
  worker.Add(claim);
  const auto judgement = worker.Judge({worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})", 2)});
  CHECK(judgement.verdict.outcome == dra::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n2", "n2"});
}

TEST_CASE("trap 45: a claim with 256 consumers takes no more") {
  Worker worker;
  worker.Node("n1");
  json claim = Claim("full", {Request("r")});
  claim["status"] = {{"allocation", {{"devices", {{"results", json::array()}}}}},
                     {"reservedFor", json::array()}};
  for (int i = 0; i < 256; ++i)
    claim["status"]["reservedFor"].push_back({{"uid", std::to_string(i)}});
  worker.Add(claim);
  const auto judgement = worker.Judge({worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "full"}]}})")});
  CHECK(judgement.verdict.outcome == dra::Outcome::kNo);
  CHECK_THAT(First(judgement), ContainsSubstring("256 consumers"));
}

TEST_CASE("firstAvailable: the worst alternative of all pods is reported (S1)") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3));
  worker.Template("t", {FirstAvailable("f", {Request("two", 2), Request("one", 1)})});
  CHECK(worker.Pods(1, "t").verdict.alternatives == std::vector<int>{0});
  CHECK(worker.Pods(2, "t").verdict.alternatives == std::vector<int>{1});
}

TEST_CASE("a search that is not finished is unknown, not no") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(12)).Template("t", {Request("a", 6), Request("b", 7)});
  dra::PodDemand demand = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  const auto judgement = worker.Judge({demand}, {.limits = {.max_steps = 3}});
  CHECK(judgement.verdict.outcome == dra::Outcome::kUnknown);
  CHECK(judgement.verdict.reasons.back().code == ReasonCode::kBudgetExceeded);
}

TEST_CASE("a billion pods are not placed one by one") {
  Worker worker;
  worker.Node("n1");
  const auto pods = worker.Parse(R"({"spec": {}})", 1'000'000'000);
  const auto judgement = worker.Judge({pods});
  CHECK(judgement.verdict.outcome == dra::Outcome::kUnknown);
  CHECK(Code(judgement) == ReasonCode::kBudgetExceeded);
  CHECK(First(judgement) == "10000 of 1000000000 pods fit; the others were not looked at");
}

TEST_CASE("trap 41: extended resources come from a plugin on one node and from DRA on the other") {
  dra::AllocatorFeatures features;
  Worker worker(features);
  json mapped = Class("gpu");
  mapped["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(mapped);
  const char* pod =
      R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "2"}}}]}})";
  worker.Node("dra").On("dra", Devices(3));
  CHECK(worker.Judge({worker.Parse(pod, 1)}).verdict.outcome == dra::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 1);
  worker.Node("plugin", json::object(),
              {{"status", {{"allocatable", {{"example.com/gpu", "4"}}}}}});
  CHECK(worker.Judge({worker.Parse(pod, 3)}).verdict.outcome == dra::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 4)}).verdict.pods_fitting == 3);
}

TEST_CASE("trap 41: the implicit name of a class needs no mapping") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2));
  const char* pod = R"({"spec": {"containers": [{"resources": {"requests":
      {"deviceclass.resource.kubernetes.io/gpu": "2"}}}]}})";
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == dra::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 1);
}

}  // namespace
}  // namespace fedra::test
