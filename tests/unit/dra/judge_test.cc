// Verdicts on devices: how many pods fit, and why not.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::judge_test {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("all pods fit: over several nodes, with the rest as headroom") {
  Worker worker;
  worker.Node("n1")
      .Node("n2")
      .On("n1", Devices(2))
      .On("n2", Devices(2))
      .Template("one", {Request("r")});
  const auto judgement = worker.Pods(3, "one");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  CHECK(judgement.verdict.pods_fitting == 3);
  CHECK(judgement.verdict.headroom == 1);
  CHECK(judgement.verdict.reasons.empty());
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1", "n1", "n2"});
}

TEST_CASE("k of n pods fit: the count, and what the next one lacks") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("one", {Request("r")});
  const auto judgement = worker.Pods(4, "one");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(Code(judgement) == ReasonCode::kPodsDoNotFit);
  CHECK(First(judgement) == "2 of 4 pods fit");
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(verdict::MessageOf(judgement.verdict.reasons[1]),
             ContainsSubstring("; 4 pods need 4 devices, only 2 are there in all: 2 devices: "
                               "2 would be taken by other pods of this job"));
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
                 R"(1 tainted NoSchedule maintenance (by its driver), )"));
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
       ReasonCode::kNotEnoughDevices, "wants 2 devices of class gpu on one node"},
      {"allocated",
       [](Worker& w) { w.On("n1", Devices(2)).Add(Holding("x", "gpu-0", {{"pool", "n1"}})); },
       ReasonCode::kDevicesAllocated, "1 allocated (other/x), 1 free"},
      {"tainted",
       [](Worker& w) {
         w.On("n1",
              Devices(2, json::object(),
                      {{"taints", {{{"key", "k"}, {"value", "v"}, {"effect", "NoExecute"}}}}}));
       },
       ReasonCode::kDeviceTainted, "2 tainted NoExecute k=v (by its driver)"},
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
    CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
    CHECK(Code(judgement) == row.code);
    CHECK_THAT(First(judgement), ContainsSubstring(row.text));
  }
}

TEST_CASE("every alternative is refused for its own reason") {
  Worker worker;
  worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
  worker.Node("n1").On("n1", Devices(2)).Add(Holding("x", "gpu-0", {{"pool", "n1"}}));
  const auto selectors = Cel({R"(device.attributes["gpu.example.com"].?m.orValue("") == "x")"});
  worker.Template(
      "t", {FirstAvailable("f", {Request("nic", 1, {{"deviceClassName", "nic"}}),
                                 Request("x", 1, {{"selectors", selectors}}), Request("two", 2)})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK(
      First(judgement) ==
      R"(request f of claim dev (template t) fits in none of 3 alternatives: )"
      R"(nic: 1 device of class nic (DriverMissing; 2 devices: 2 other driver), )"
      R"(x: 1 device of class gpu (NoMatchingDevice; 2 devices: 2 fail request selector )"
      R"(device.attributes["gpu.example.com"].?m.orValue("") == "x"), )"
      R"(two: 2 devices of class gpu on one node (DevicesAllocated; 2 devices: 1 allocated (other/x), 1 free))");
}

TEST_CASE("no node comes closest where nothing matches, or there is only one") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).Template("two", {Request("r", 2)});
  CHECK(worker.Pods(1, "two").pod_sets[0].nearest.empty());  // there is no other
  worker.Node("n2");
  CHECK(worker.Pods(1, "two").pod_sets[0].nearest == "n1");
  worker.Template("other", {Request("r", 1, {{"selectors", Cel({"false"})}})});
  const auto judgement = worker.Pods(1, "other");
  CHECK(Code(judgement) == ReasonCode::kNoMatchingDevice);
  CHECK(judgement.pod_sets[0].nearest.empty());
}

TEST_CASE("a claim is called what its user calls it") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).Template("t", {Request("r", 2)});
  worker.Add(Claim("shared", {Request("r", 2)}));
  const auto judgement = worker.Judge({worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"},
                                      {"name": "e", "resourceClaimName": "shared"}]}})")});
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK_THAT(
      verdict::MessageOf(judgement.verdict.reasons[0]),
      StartsWith("request r of claim d (template t) wants 2 devices of class gpu on one node"));
  CHECK_THAT(verdict::MessageOf(judgement.verdict.reasons[1]),
             StartsWith("request r of ResourceClaim ml/shared wants 2"));
  CHECK(judgement.pod_sets[0].requests[0].claim == "d");
  CHECK(judgement.pod_sets[0].requests[1].claim == "ml/shared");
}

TEST_CASE("a taint of a rule is told with the rule") {
  dra::AllocatorFeatures features;
  features.device_taint_rules = true;
  Worker worker(features);
  const json own = {{"taints", {{{"key", "old"}, {"effect", "NoExecute"}}}}};
  worker.Node("n1").On("n1", {Device("a"), Device("b", json::object(), own)});
  worker.Rule(
      {{"metadata", {{"name", "maint"}}},
       {"spec",
        {{"deviceSelector", {{"device", "a"}}},
         {"taint", {{"key", "maintenance"}, {"value", "yes"}, {"effect", "NoSchedule"}}}}}});
  worker.Template("t", {Request("r")});
  CHECK_THAT(First(worker.Pods(1, "t")),
             EndsWith("2 devices: 1 tainted NoSchedule maintenance=yes (DeviceTaintRule maint), "
                      "1 tainted NoExecute old (by its driver)"));
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
  Worker worker;
  worker.Node("n1").Parent(
      "n1", "8Gi", {Partition("full", "8Gi"), Partition("a", "5Gi"), Partition("b", "5Gi")});
  worker.Add(Holding("x", "a", {{"pool", "n1"}}));
  worker.Template("one", {Request("r")});
  const auto judgement = worker.Pods(1, "one");
  CHECK(Code(judgement) == ReasonCode::kCountersExhausted);
  CHECK_THAT(First(judgement), ContainsSubstring("1 need 5Gi of gpu-0/memory (3Gi left)"));
  CHECK_THAT(First(judgement), ContainsSubstring("1 need 8Gi of gpu-0/memory (3Gi left)"));
}

TEST_CASE("counters that suffice for each device alone are named with what all of them share") {
  Worker worker;
  worker.Node("n1").Parent("n1", "8Gi", {Partition("a", "5Gi"), Partition("b", "5Gi")});
  worker.Template("both", {Request("r", 2)});
  const auto judgement = worker.Pods(1, "both");
  CHECK(Code(judgement) == ReasonCode::kCountersExhausted);
  CHECK_THAT(First(judgement),
             ContainsSubstring("2 need 5Gi each of gpu-0/memory (8Gi left for all)"));
}

TEST_CASE("a false condition that looks at more than the driver does not mean another driver") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("a", {{"model", "t4"}})});
  const std::string either =
      R"((device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "h100"))"
      R"( || device.driver == "other.example.com")";
  worker.Template("t", {Request("r", 1, {{"selectors", {{{"cel", {{"expression", either}}}}}}})});
  CHECK(Code(worker.Pods(1, "t")) == ReasonCode::kNoMatchingDevice);
}

TEST_CASE("a selector error on one node refuses the pod although another node fits") {
  Worker worker;
  worker.Node("n1").Node("n2");
  worker.On("n1", {Device("a", {{"model", "x"}})}).On("n2", {Device("a")});
  worker.Template(
      "t",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  CHECK_THAT(
      First(judgement),
      ContainsSubstring(
          R"(on node n2: request r of claim dev (template t): selector #0 of the request, )"
          R"(device.attributes["gpu.example.com"].model == "x", fails on device )"
          R"(gpu.example.com/n2/a: CEL runtime error: no such key: model; not every device has )"));
  CHECK_THAT(First(judgement), ContainsSubstring("; guard the use: has("));
}

TEST_CASE("a selector of a class that fails is told with the class, and not at any length") {
  Worker worker;
  const std::string chain = " && true";
  std::string expression = R"(device.attributes["gpu.example.com"].model == "x")";
  for (int i = 0; i < 200; ++i) expression += chain;
  worker.AddClass(Class("odd", {"true", expression}));
  worker.Node("n1").On("n1", {Device("a")});
  worker.Template("t", {Request("r", 1, {{"deviceClassName", "odd"}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  CHECK_THAT(First(judgement), ContainsSubstring("selector #1 of DeviceClass odd, device.attr"));
  CHECK_THAT(First(judgement), ContainsSubstring("..., fails on device gpu.example.com/n1/a: CEL"));
  CHECK(First(judgement).size() < 1500);
}

TEST_CASE("a selector that does not compile is told with what to write instead") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("a")});
  const auto selectors = Cel({R"(device.capacity["gpu.example.com"].memory >= "40Gi")"});
  worker.Template("t", {Request("r", 1, {{"selectors", selectors}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  CHECK_THAT(First(judgement), ContainsSubstring("CEL compile error"));
  CHECK_THAT(First(judgement), ContainsSubstring("compareTo(quantity("));
  // It is no device's and no node's fault: the caret keeps its place, and a worker whose devices
  // the pod cannot reach says the same.
  CHECK(
      First(judgement).starts_with("request r of claim dev (template t): selector #0 of the "
                                   "request does not compile: CEL compile error: ERROR: "));
  CHECK_THAT(First(judgement), !ContainsSubstring("device gpu") && !ContainsSubstring("node n1"));
  CHECK_THAT(First(judgement), ContainsSubstring("^\nquantities cannot be compared"));
  Worker other;
  other.Node("n1").On("gone", {Device("a")});
  other.Template("t", {Request("r", 1, {{"selectors", selectors}})});
  const auto elsewhere = other.Pods(1, "t");
  CHECK(Code(elsewhere) == ReasonCode::kSelectorError);
  CHECK(First(elsewhere) == First(judgement));
}

TEST_CASE("a selector that reads what no device has is told what there is") {
  const auto answer = [](Worker& worker, const char* expression) {
    worker.Template("t", {Request("r", 1, {{"selectors", Cel({expression})}})});
    const auto judgement = worker.Pods(1, "t");
    CHECK(Code(judgement) == ReasonCode::kSelectorError);
    return First(judgement);
  };
  Worker worker;
  worker.Node("n1").On("n1", {Device("a", {{"type", "x"}}), Device("b", {{"type", "y"}})});
  const char* model = R"(device.attributes["gpu.example.com"].model == "x")";
  CHECK_THAT(answer(worker, model),
             ContainsSubstring("; no device has attribute `model`; published are: ") &&
                 ContainsSubstring("type") && !ContainsSubstring("guard"));
  CHECK_THAT(
      answer(worker, R"(device.capacity["gpu.example.com"].cores.isGreaterThan(quantity("1")))"),
      ContainsSubstring("; no device has capacity `cores`; published are: "));
  CHECK_THAT(answer(worker, R"(device.attributes["gpu.exmaple.com"].model == "x")"),
             ContainsSubstring("; no device has attribute `model` of domain gpu.exmaple.com; "
                               "published are: gpu.example.com/"));
  // The list is bounded.
  json many;
  for (int i = 0; i < 12; ++i) many["a" + std::to_string(10 + i)] = "x";
  Worker rich;
  rich.Node("n1").On("n1", {Device("a", many)});
  CHECK_THAT(answer(rich, model), ContainsSubstring("a17 and ") && ContainsSubstring(" more"));
  Worker bare;
  bare.Node("n1").On("n1", {Device("a")});
  CHECK_THAT(answer(bare, R"(device.attributes["other.com"].model == "x")"),
             ContainsSubstring("attribute `model` of domain other.com; none publishes any "));
  // One that some other device has is guarded, wherever that device is.
  worker.On("gone", {Device("c", {{"model", "x"}})}, {{"pool", {{"name", "p"}}}});
  CHECK_THAT(answer(worker, model), ContainsSubstring("; guard the use: has("));
}

TEST_CASE(
    "All beside an incomplete pool of another driver is that pool's fault, not a selector's") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("a")});
  worker.On("n1", {Device("x")},
            {{"driver", "nic.example.com"}, {"pool", {{"resourceSliceCount", 2}}}});
  worker.Template("t", {Request("r", 1, {{"allocationMode", "All"}, {"count", nullptr}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
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
  CHECK(worker.Judge({demand}).verdict.outcome == verdict::Outcome::kYes);
}

TEST_CASE("missing classes, templates and claims, each named") {
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
        "0/3 nodes can run the pod: 2 didn't match nodeSelector pool=a, 1 unschedulable "
        "(nodes n1, n2, n3)");
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
  CHECK(judgement.verdict.reasons.back().code == ReasonCode::kNodesTooSmall);
  CHECK(verdict::MessageOf(judgement.verdict.reasons.back()) ==
        "the nodes have room for 2 of 3 pods, even when nothing else runs there: each pod asks for "
        "1500m cpu, the largest node has 4");
  judgement = worker.Judge({worker.Parse(pod, 3)}, {.node_resources = false});
  CHECK(judgement.verdict.pods_fitting == 3);
  const auto used = Used({{Symbol("n1"), {{Symbol("cpu"), Quantity(4)}}}});
  judgement = worker.Judge({worker.Parse(pod, 1)}, {.used = used});
  CHECK(judgement.verdict.pods_fitting == 0);
}

TEST_CASE("several pod sets share what there is") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3)).Template("one", {Request("r")});
  dra::PodDemand leader = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})");
  dra::PodDemand workers = leader;
  workers.count = 2;
  CHECK(worker.Judge({leader, workers}).verdict.outcome == verdict::Outcome::kYes);
  workers.count = 3;
  const auto judgement = worker.Judge({leader, workers});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 3);
  CHECK(judgement.verdict.pods_wanted == 4);
}

TEST_CASE("a named claim is allocated once and binds all its pods to the node (S3, N3)") {
  Worker worker;
  worker.Node("n1", json::object(), {{"status", {{"allocatable", {{"pods", "2"}}}}}});
  worker.Node("n2", json::object(), {{"status", {{"allocatable", {{"pods", "1"}}}}}});
  worker.On("n1", Devices(1)).On("n2", Devices(1));
  worker.Add(Claim("shared", {Request("r")}));
  const char* pod =
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})";
  auto judgement = worker.Judge({worker.Parse(pod, 2)});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n1", "n1"});
  judgement = worker.Judge({worker.Parse(pod, 3)});
  CHECK(judgement.verdict.pods_fitting == 2);  // the third would have to be on n1 as well
}

TEST_CASE("an allocated named claim restricts the nodes and needs no device") {
  Worker worker;
  worker.Node("n1").Node("n2").On("n1", Devices(1));
  json claim = Claim("shared", {Request("r")});
  claim["status"] = json::parse(R"({"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
      "nodeSelector": {"nodeSelectorTerms": [{"matchFields":
      [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]},
      "devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}}})");
  worker.Add(claim);
  const auto judgement = worker.Judge({worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})", 2)});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n2", "n2"});
}

// Holds gpu-0 of n1 for pods on n1.
json AllocatedOnN1(const std::string& name, const json& consumers) {
  json claim = Claim(name, {Request("r")});
  claim["status"] = json::parse(R"({"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
      "nodeSelector": {"nodeSelectorTerms": [{"matchFields":
          [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
      "devices": {"results": [
          {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}}})");
  claim["status"]["reservedFor"] = consumers;
  return claim;
}

TEST_CASE("an allocation that nobody has reserved is taken back when no node fits") {
  const json cpu = {{"status", {{"allocatable", {{"cpu", "1"}}}}}};
  const char* text = R"({"spec": {"nodeSelector": {"zone": "b"}, "resourceClaims": [
      {"name": "d", "resourceClaimName": "idle"}, {"name": "e", "resourceClaimName": "idle-too"}],
      "containers": [{"resources": {"requests": {"cpu": "1"}}}]}})";
  for (const bool reserved : {false, true}) {
    Worker worker;
    const json consumers = reserved ? json::array({{{"uid", "u"}}}) : json::array();
    worker.Node("n1", {{"zone", "a"}}, cpu).Node("n2", {{"zone", "b"}}, cpu);
    worker.On("n1", Devices(2)).On("n2", Devices(2));
    worker.Add(AllocatedOnN1("idle", consumers)).Add(AllocatedOnN1("idle-too", json::array()));
    const auto pod = worker.Parse(text);
    const auto judgement = worker.Judge({pod});
    if (reserved) {
      CHECK(Code(judgement) == ReasonCode::kNodeMismatch);
      CHECK_THAT(First(judgement), ContainsSubstring("is allocated elsewhere"));
      continue;
    }
    CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
    CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n2"});
    // The scheduler only looks at claims on nodes that have room.
    auto big = worker.Parse(text);
    big.requests[0].second = Quantity(2);
    CHECK(worker.Judge({big}).verdict.outcome == verdict::Outcome::kNo);
    // What remains too little is explained as it is without the allocations.
    worker.On("n2", Devices(1), {{"pool", {{"generation", 2}}}});
    CHECK(Code(worker.Judge({pod})) == ReasonCode::kNotEnoughDevices);
  }
}

TEST_CASE("what an idle claim gives back is free, and pods that came first keep it") {
  Worker worker;
  worker.Node("n1").Node("n2", {{"zone", "b"}}).On("n1", Devices(1)).On("n2", Devices(1));
  worker.Template("t", {Request("r")}).Add(AllocatedOnN1("idle", json::array()));
  const char* named =
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "idle"}]}})";
  const auto first = worker.Parse(named);
  auto second = worker.Parse(named);
  second.node.labels = {{Symbol("zone"), Symbol("b")}};
  CHECK(worker.Judge({first}).pod_sets[0].nodes == std::vector<std::string>{"n1"});
  CHECK(worker.Judge({second}).pod_sets[0].nodes == std::vector<std::string>{"n2"});
  auto judgement = worker.Judge({first, second});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 1);
  // Before n1 by name: the first pod would be there if the claim could leave it.
  auto early = first;
  early.node.labels = {{Symbol("zone"), Symbol("c")}};
  worker.Node("n0", {{"zone", "c"}}).On("n0", Devices(1));
  CHECK(worker.Judge({first, early}).verdict.pods_fitting == 1);
  // n1's device is free once the claim is on n2.
  const auto third = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  judgement = worker.Judge({second, third});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  dra::JudgeOptions options;
  options.assumed = Assumed(std::make_shared<const dra::PodDemand>(first), 1);
  CHECK(worker.Judge({second}, options).verdict.outcome == verdict::Outcome::kNo);
}

TEST_CASE("a claim allocated without allocationTimestamp takes no more pods") {
  for (const auto release : {cel::KubernetesRelease::k135, cel::KubernetesRelease::k136}) {
    Worker worker(dra::FeaturesOf(release));
    worker.Node("n1").On("n1", Devices(1));
    json claim = AllocatedOnN1("shared", json::array({{{"uid", "u"}}}));
    claim["status"]["allocation"].erase("allocationTimestamp");
    worker.Add(claim);
    const auto pod = worker.Parse(
        R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})");
    const auto judgement = worker.Judge({pod});
    const bool refused = release == cel::KubernetesRelease::k136;
    CHECK(judgement.verdict.outcome == (refused ? verdict::Outcome::kNo : verdict::Outcome::kYes));
    if (!refused) continue;
    CHECK(Code(judgement) == ReasonCode::kClaimMissing);
    CHECK(judgement.verdict.reasons[0].object == "ResourceClaim ml/shared");
    CHECK_THAT(First(judgement), ContainsSubstring("lacks allocationTimestamp"));
    CHECK(judgement.pod_sets[0].aborted);
  }
}

TEST_CASE(
    "a node that the scheduler cannot search in 10 seconds blocks a pod that fits elsewhere") {
  struct Crowded {
    int free;
    verdict::Outcome outcome;
  };
  for (const Crowded& row :
       {Crowded{21, verdict::Outcome::kYes}, Crowded{24, verdict::Outcome::kUnknown},
        Crowded{27, verdict::Outcome::kNo}}) {
    Worker worker;
    worker.Node("n1").Node("n2").On("n1", Devices(row.free)).On("n2", Devices(32));
    worker.Template("t", {Request("r", 28)});
    INFO(row.free);
    auto judgement = worker.Pods(1, "t");
    CHECK(judgement.verdict.outcome == row.outcome);
    CHECK(judgement.pod_sets[0].aborted == (row.outcome == verdict::Outcome::kNo));
    if (row.outcome != verdict::Outcome::kYes) {
      CHECK(Code(judgement) == ReasonCode::kBudgetExceeded);
      CHECK(judgement.verdict.reasons[0].object == "Node n1");
      CHECK_THAT(First(judgement), ContainsSubstring("at least 1"));
    }
    // Where nothing fits there is nothing to block.
    judgement = worker.Pods(2, "t");
    CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
    CHECK(Code(judgement) == ReasonCode::kPodsDoNotFit);
  }
  // Devices of two kinds are not searched that long.
  Worker worker;
  worker.Node("n1").Node("n2").On("n2", Devices(32));
  std::vector<json> devices;
  for (int i = 0; i < 27; ++i)
    devices.push_back(Device("d" + std::to_string(i), {{"root", "r" + std::to_string(i % 2)}}));
  worker.On("n1", devices).On("n2", Devices(32, {{"root", "r"}}), {{"pool", {{"name", "m"}}}});
  worker.Template("t", {Request("r", 28)}, {Match("gpu.example.com/root")});
  CHECK(worker.Pods(1, "t").verdict.outcome == verdict::Outcome::kYes);
}

TEST_CASE("up to 1.35 a node that cannot be searched in 10 seconds is only left out") {
  for (const auto release : {cel::KubernetesRelease::k134, cel::KubernetesRelease::k135}) {
    Worker worker(dra::FeaturesOf(release));
    worker.Node("n1").Node("n2").On("n1", Devices(27)).On("n2", Devices(32));
    worker.Template("t", {Request("r", 28)});
    INFO(cel::ToString(release));
    CHECK(worker.Pods(1, "t").verdict.outcome == verdict::Outcome::kYes);
    // The search for the first alternative leaves n1 out, where the pod would fit by the second.
    Worker one(dra::FeaturesOf(release));
    one.Node("n1").On("n1", Devices(27));
    one.Template("t", {FirstAvailable("f", {Request("many", 28), Request("one", 1)})});
    const auto judgement = one.Pods(1, "t");
    CHECK(judgement.verdict.outcome == verdict::Outcome::kUnknown);
    CHECK_FALSE(judgement.pod_sets[0].aborted);
    CHECK(Code(judgement) == ReasonCode::kBudgetExceeded);
    CHECK_THAT(First(judgement), ContainsSubstring("up to 1.35 leaves out a node"));
  }
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
  CHECK(judgement.verdict.outcome == verdict::Outcome::kUnknown);
  CHECK(judgement.verdict.reasons.back().code == ReasonCode::kBudgetExceeded);
}

TEST_CASE("a node whose search was given up may hold up a pod that fits elsewhere") {
  const auto serials = [](int count) {
    std::vector<json> devices;
    for (int i = 0; i < count; ++i)
      devices.push_back(Device("d" + std::to_string(i), {{"serial", "s" + std::to_string(i)}}));
    return devices;
  };
  Worker worker;
  // n2 lacks one device, and to find that out takes more than half of the steps.
  worker.Node("n1").Node("n2").On("n1", serials(32)).On("n2", serials(15));
  worker.Template("t", {Request("a", 8), Request("b", 8)}, {Distinct("gpu.example.com/serial")});
  const dra::PodDemand demand = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  CHECK(worker.Judge({demand}).verdict.outcome == verdict::Outcome::kYes);
  const auto judgement = worker.Judge({demand}, {.limits = {.max_steps = 400}});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kUnknown);
  CHECK(judgement.verdict.pods_fitting == 1);
  REQUIRE(judgement.verdict.reasons.size() == 1);
  const verdict::Reason& reason = judgement.verdict.reasons[0];
  CHECK(reason.code == ReasonCode::kBudgetExceeded);
  CHECK(reason.object == "Node n2");
  const auto* limit = std::get_if<verdict::SearchLimit>(&reason.facts);
  REQUIRE(limit != nullptr);
  CHECK(limit->kind == verdict::SearchLimit::Kind::kOneNode);
  CHECK(limit->where == "n2");
}

TEST_CASE("nodes, pods and assumed pods share one search budget") {
  Worker worker;
  worker.Template("t", {Request("a", 6), Request("b", 7)}).Template("one", {Request("r")});
  for (int node = 0; node < 30; ++node) {
    const std::string name = "n" + std::to_string(node);
    worker.Node(name).On(name, Devices(12));
  }
  const auto demand = [&](const char* name, int pods) {
    return worker.Parse(
        (R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": ")" +
         std::string(name) + R"("}]}})")
            .c_str(),
        pods);
  };
  const auto is_given_up = [](const dra::Judgement& judgement) {
    return judgement.verdict.outcome == verdict::Outcome::kUnknown &&
           Code(judgement) == ReasonCode::kBudgetExceeded && judgement.verdict.reasons.size() == 1;
  };
  const dra::JudgeOptions tight{.limits = {.max_steps = 600}};
  // Each node takes some hundred steps to refuse the pod: one may, thirty may not.
  CHECK(Code(worker.Judge({demand("t", 1)})) == ReasonCode::kNotEnoughDevices);
  CHECK(is_given_up(worker.Judge({demand("t", 1)}, tight)));
  // A pod takes a few steps.
  CHECK(worker.Judge({demand("one", 100)}, tight).verdict.outcome == verdict::Outcome::kYes);
  const auto judgement = worker.Judge({demand("one", 360)}, tight);
  CHECK(is_given_up(judgement));
  const int fitting = judgement.verdict.pods_fitting;
  CHECK(fitting > 100);
  CHECK(fitting < 360);
  CHECK_THAT(First(judgement),
             ContainsSubstring("(at most 600 for all pods and nodes together): " +
                               std::to_string(fitting) + " of 360 pods had found their devices"));
  // What assumed pods cost is missing later.
  const auto waiting = std::make_shared<const dra::PodDemand>(demand("t", 1));
  dra::JudgeOptions with_assumed = tight;
  with_assumed.assumed = Assumed(waiting, 1);
  CHECK(is_given_up(worker.Judge({demand("one", 1)}, with_assumed)));
}

TEST_CASE("walking over many devices that do not match is paid for") {
  Worker worker;
  worker.Node("n1");
  for (int slice = 0; slice < 100; ++slice)
    worker.On("n1", Devices(64), {{"driver", "x"}, {"pool", {{"name", std::to_string(slice)}}}});
  worker.On("n1", Devices(40), {{"pool", {{"name", "z"}}}}).Template("t", {Request("r")});
  auto demand = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})", 40);
  CHECK(worker.Judge({demand}).verdict.outcome == verdict::Outcome::kYes);
  const auto judgement = worker.Judge({demand}, {.limits = {.max_steps = 20'000}});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kUnknown);
}

TEST_CASE("a billion pods are not placed one by one") {
  Worker worker;
  worker.Node("n1");
  const auto pods = worker.Parse(R"({"spec": {}})", 1'000'000'000);
  const auto judgement = worker.Judge({pods});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kUnknown);
  CHECK(Code(judgement) == ReasonCode::kBudgetExceeded);
  CHECK(First(judgement) == "10000 of 1000000000 pods fit; the others were not tried");
}

TEST_CASE("extended resources come from a plugin on one node and from DRA on the other") {
  dra::AllocatorFeatures features;
  Worker worker(features);
  json mapped = Class("gpu");
  mapped["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(mapped);
  const char* pod =
      R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "2"}}}]}})";
  worker.Node("dra").On("dra", Devices(3));
  CHECK(worker.Judge({worker.Parse(pod, 1)}).verdict.outcome == verdict::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 1);
  worker.Node("plugin", json::object(),
              {{"status", {{"allocatable", {{"example.com/gpu", "4"}}}}}});
  CHECK(worker.Judge({worker.Parse(pod, 3)}).verdict.outcome == verdict::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 4)}).verdict.pods_fitting == 3);
}

TEST_CASE("the implicit name of a class needs no mapping") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2));
  const char* pod = R"({"spec": {"containers": [{"resources": {"requests":
      {"deviceclass.resource.kubernetes.io/gpu": "2"}}}]}})";
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == verdict::Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 1);
}

}  // namespace
}  // namespace fedra::test::judge_test
