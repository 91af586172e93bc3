// A job that could never fit is not told to wait: whose devices are in the way, and whether they
// would be enough.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::waiting_test {
namespace {

const verdict::Reason& Last(const dra::Judgement& judgement) {
  REQUIRE_FALSE(judgement.verdict.reasons.empty());
  return judgement.verdict.reasons.back();
}

json Of(const char* node) { return {{"pool", node}}; }

struct Row {
  const char* why;
  int pods;
  std::function<void(Worker&)> make;  // also the template "t"
  ReasonCode code;                    // of the last reason
  const char* text;
};

TEST_CASE("waiting is only advised where free devices would suffice") {
  const std::vector<Row> rows = {
      {"one device for six pods", 6,
       [](Worker& w) { w.On("n1", Devices(1)).Template("t", {Request("r")}); },
       ReasonCode::kNotEnoughDevices,
       "; 6 pods need 6 devices, only 1 is there in all: 1 device: 1 would be taken by other pods "
       "of this "
       "job"},
      {"the same while another claim holds it", 6,
       [](Worker& w) {
         w.On("n1", Devices(1)).Add(Holding("x", "gpu-0", Of("n1"))).Template("t", {Request("r")});
       },
       ReasonCode::kNotEnoughDevices,
       "; 6 pods need 6 devices, only 1 is there in all: 1 device: 1 allocated (other/x)"},
      {"enough, but in use", 2,
       [](Worker& w) {
         w.On("n1", Devices(2)).Add(Holding("x", "gpu-0", Of("n1"))).Template("t", {Request("r")});
       },
       ReasonCode::kDevicesAllocated,
       "class gpu: 2 devices: 1 allocated (other/x), 1 would be taken by other pods of this job"},
      {"counts within one pod, spread over nodes", 1,
       [](Worker& w) {
         w.Node("n2").On("n1", Devices(2)).On("n2", Devices(2));
         w.Add(Holding("x", "gpu-0", Of("n1"))).Template("t", {Request("r", 4)});
       },
       ReasonCode::kNotEnoughDevices,
       "; even with every device free only 0 of 1 pod would fit: 4 devices: 1 allocated (other/x), "
       "3 free"},
      {"counts within one pod, three nodes of three", 4,
       [](Worker& w) {
         w.Node("n2").Node("n3");
         for (const char* node : {"n1", "n2", "n3"}) w.On(node, Devices(3));
         w.Template("t", {Request("r", 2)});
       },
       ReasonCode::kNotEnoughDevices,
       "; even with every device free only 3 of 4 pods would fit: 9 devices: "
       "6 would be taken by other pods of this job, 3 free"},
      {"counts within one pod, in use", 1,
       [](Worker& w) {
         w.On("n1", Devices(4)).Add(Holding("x", "gpu-0", Of("n1")));
         w.Template("t", {Request("r", 4)});
       },
       ReasonCode::kDevicesAllocated,
       "class gpu on one node: 4 devices: 1 allocated (other/x), 3 free"},
      {"all devices of a node, twice", 2,
       [](Worker& w) { w.On("n1", Devices(4)).Template("t", {All("r")}); },
       ReasonCode::kNotEnoughDevices, "; even with every device free only 1 of 2 pods would fit: "},
      {"all devices of a node, one in use", 1,
       [](Worker& w) {
         w.On("n1", Devices(4)).Add(Holding("x", "gpu-0", Of("n1"))).Template("t", {All("r")});
       },
       ReasonCode::kDevicesAllocated, "class gpu: 4 devices: 1 allocated (other/x), 3 free"},
      {"the rest is tainted", 3,
       [](Worker& w) {
         const json taint = {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}};
         w.On("n1", {Device("a"), Device("b", json::object(), taint),
                     Device("c", json::object(), taint)});
         w.Template("t", {Request("r")});
       },
       ReasonCode::kDeviceTainted,
       "; 3 pods need 3 devices, only 1 is untainted and on nodes the pods can use: "},
      {"a selector leaves too few", 2,
       [](Worker& w) {
         w.On("n1", {Device("a", {{"m", "x"}}), Device("b", {{"m", "y"}})});
         w.Add(Holding("x", "b", Of("n1")));
         const auto selectors = Cel({R"(device.attributes["gpu.example.com"].m == "x")"});
         w.Template("t", {Request("r", 1, {{"selectors", selectors}})});
       },
       ReasonCode::kNotEnoughDevices, "; 2 pods need 2 devices, only 1 is there in all: "},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Worker worker;
    worker.Node("n1");
    row.make(worker);
    const auto judgement = worker.Pods(row.pods, "t");
    CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
    CHECK(Last(judgement).code == row.code);
    CHECK_THAT(verdict::MessageOf(Last(judgement)), ContainsSubstring(row.text));
  }
}

TEST_CASE("of those who hold devices three are named, by their jobs, and the others counted") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(5)).Template("t", {Request("r")});
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    worker.Add(Holding("c" + n, "gpu-" + n, Of("n1")));
  }
  const auto ask = [&](const dra::JobOfClaim* jobs) {
    return First(worker.Judge({worker.Parse(R"({"spec": {"resourceClaims": [
        {"name": "d", "resourceClaimTemplateName": "t"}]}})")},
                              {.jobs = jobs}));
  };
  CHECK_THAT(ask(nullptr),
             ContainsSubstring("5 allocated (other/c0, other/c1, other/c2 and 2 more)"));
  const ObjectKey train{.ns = "ml", .name = "train"};
  const dra::JobOfClaim jobs = {{{.ns = "other", .name = "c0"}, train},
                                {{.ns = "other", .name = "c1"}, train},
                                {{.ns = "other", .name = "c3"}, {.ns = "ml", .name = "eval"}}};
  CHECK_THAT(ask(&jobs),
             ContainsSubstring("5 allocated (job ml/train, other/c2, job ml/eval and 1 more)"));
  dra::JobOfClaim all;
  for (int i = 0; i < 5; ++i) all[{.ns = "other", .name = "c" + std::to_string(i)}] = train;
  CHECK_THAT(ask(&all), ContainsSubstring("5 allocated (job ml/train)"));
}

TEST_CASE("tenants are told which jobs of their namespace hold devices, and how many others do") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(5));
  const auto ask = [&](const dra::JobOfClaim* jobs) {
    const auto judgement = worker.Judge({worker.Parse(R"({"spec": {"resourceClaims": [
        {"name": "d", "resourceClaimTemplateName": "t"}]}})")},
                                        {.jobs = jobs});
    return judgement.verdict.reasons.at(0);
  };
  const json either = {{"name", "r"},
                       {"firstAvailable",
                        {{{"name", "one"},
                          {"deviceClassName", "gpu"},
                          {"allocationMode", "ExactCount"},
                          {"count", 1}},
                         {{"name", "two"},
                          {"deviceClassName", "gpu"},
                          {"allocationMode", "ExactCount"},
                          {"count", 2}}}}};
  const bool alternatives = GENERATE(false, true);
  worker.Template("t", {alternatives ? either : Request("r")});
  for (int i = 0; i < 5; ++i) {
    json claim = Holding("c" + std::to_string(i), "gpu-" + std::to_string(i), Of("n1"));
    if (i == 3) claim["metadata"]["namespace"] = "ml";
    worker.Add(claim);
  }
  const dra::JobOfClaim jobs = {{{.ns = "other", .name = "c0"}, {.ns = "other", .name = "secret"}},
                                {{.ns = "other", .name = "c1"}, {.ns = "other", .name = "secret"}},
                                {{.ns = "ml", .name = "c3"}, {.ns = "ml", .name = "train"}}};
  const verdict::Reason mixed = ask(&jobs);
  CHECK_THAT(verdict::MessageOf(mixed), ContainsSubstring("other/secret"));
  const verdict::Rendering discreet{.tenants_of = "ml", .now = {}};
  const std::string told = verdict::MessageOf(mixed, discreet);
  CHECK_THAT(told, ContainsSubstring("5 allocated (job ml/train and 3 more)"));
  CHECK_THAT(told, !ContainsSubstring("other/"));
  CHECK_THAT(verdict::MessageOf(ask(nullptr), discreet),
             ContainsSubstring("5 allocated (ml/c3 and 4 more)"));
}

TEST_CASE("tenants are not told who holds devices in other namespaces") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).Template("t", {Request("r")});
  worker.Add(Holding("x", "gpu-0", Of("n1")));
  const auto judgement = worker.Pods(1, "t");
  const verdict::Reason& reason = judgement.verdict.reasons.at(0);
  CHECK_THAT(verdict::MessageOf(reason), ContainsSubstring("1 device: 1 allocated (other/x)"));
  const verdict::Rendering discreet{.tenants_of = "ml", .now = {}};
  CHECK(verdict::MessageOf(reason, discreet).ends_with(": 1 device: 1 allocated"));
  verdict::Reason more = reason;
  more.new_nodes = {.nodes = 2, .devices = {{"gpu", 8}}, .labels = {}};
  CHECK(verdict::MessageOf(more, discreet)
            .ends_with("1 allocated; 2 new nodes of a scalable pool (8 devices of class gpu) could "
                       "provide it"));
}

// Three halves of a parent of which two fit.
Worker Halves() {
  Worker worker;
  worker.Node("n1").Parent("n1", "8Gi",
                           {Partition("a", "4Gi"), Partition("b", "4Gi"), Partition("c", "4Gi")});
  worker.Template("t", {Request("r")});
  return worker;
}

TEST_CASE("shared counters: exhausted by others, or never enough") {
  Worker worker = Halves();
  auto judgement = worker.Pods(3, "t");
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(Last(judgement).code == ReasonCode::kCountersExhausted);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             ContainsSubstring("(0 left); even with every device free only 2 of 3 pods would fit"));
  worker.Add(Holding("x", "a", Of("n1")));
  judgement = worker.Pods(2, "t");
  CHECK(Last(judgement).code == ReasonCode::kCountersExhausted);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             !ContainsSubstring("even with every device free"));
}

TEST_CASE("consumable capacity: taken by others, or never enough") {
  Worker worker;
  const json shared = {{"allowMultipleAllocations", true},
                       {"capacity", {{"memory", {{"value", "10Gi"}}}}}};
  worker.Node("n1").On("n1", {Device("a", json::object(), shared)});
  worker.Template("t", {Request("r", 1, {{"capacity", {{"requests", {{"memory", "5Gi"}}}}}})});
  CHECK(worker.Pods(2, "t").verdict.outcome == verdict::Outcome::kYes);
  auto judgement = worker.Pods(3, "t");
  CHECK(Last(judgement).code == ReasonCode::kCapacityExhausted);
  CHECK_THAT(
      verdict::MessageOf(Last(judgement)),
      ContainsSubstring("; even with every device free only 2 of 3 pods would fit: 1 device: "
                        "1 without enough capacity"));
  json held = Holding("x", "a", Of("n1"));
  json& result = held["status"]["allocation"]["devices"]["results"][0];
  result["shareID"] = "5f2f5f3a-0000-4000-8000-000000000000";
  result["consumedCapacity"] = {{"memory", "5Gi"}};
  worker.Add(held);
  judgement = worker.Pods(2, "t");
  CHECK(Last(judgement).code == ReasonCode::kCapacityExhausted);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             !ContainsSubstring("even with every device free"));
}

TEST_CASE("what is reserved for other jobs comes back, what the job itself takes does not") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("t", {Request("r")});
  const auto pod = [&](int count) {
    return worker.Parse(
        R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})",
        count);
  };
  dra::JudgeOptions options;
  options.assumed = Assumed(std::make_shared<dra::PodDemand>(pod(1)), 1);
  auto judgement = worker.Judge({pod(2)}, options);
  CHECK(Last(judgement).code == ReasonCode::kDevicesAllocated);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             ContainsSubstring("1 reserved for jobs already dispatched here, 1 would be taken by "
                               "other pods of this job"));
  judgement = worker.Judge({pod(3)}, options);
  CHECK(Last(judgement).code == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             ContainsSubstring("3 pods need 3 devices, only 2 are there"));
}

TEST_CASE("pod sets that fit one by one, but never together") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3)).Template("t", {Request("r")});
  worker.Add(Holding("x", "gpu-0", Of("n1")));
  dra::PodDemand leader = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  dra::PodDemand workers = leader;
  workers.count = 2;
  auto judgement = worker.Judge({leader, workers});
  CHECK(Last(judgement).code == ReasonCode::kDevicesAllocated);
  workers.count = 3;
  judgement = worker.Judge({leader, workers});
  CHECK(Last(judgement).code == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(verdict::MessageOf(Last(judgement)),
             ContainsSubstring("even with every device free only 3 of 4 pods would fit"));
}

TEST_CASE("a pod set whose devices are in use is told so beside one that has no driver") {
  Worker worker;
  worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
  worker.Node("n1").On("n1", Devices(1)).Add(Holding("x", "gpu-0", Of("n1")));
  worker.Template("t", {Request("r")});
  worker.Template("u", {Request("r", 1, {{"deviceClassName", "nic"}})});
  const auto judgement = worker.Judge(
      {worker.Parse(
           R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})"),
       worker.Parse(
           R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "u"}]}})")});
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(judgement.verdict.reasons[0].code == ReasonCode::kDevicesAllocated);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kDriverMissing);
}

TEST_CASE("a request whose devices are in use is told so behind one that has no driver") {
  Worker worker;
  worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
  worker.Node("n1").On("n1", Devices(1)).Add(Holding("x", "gpu-0", Of("n1")));
  worker.Template("t", {Request("g"), Request("n", 1, {{"deviceClassName", "nic"}})});
  const auto judgement = worker.Pods(1, "t");
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(judgement.verdict.reasons[0].code == ReasonCode::kDriverMissing);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kDevicesAllocated);
}

TEST_CASE("two requests for the only device, which is in use") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).Add(Holding("x", "gpu-0", Of("n1")));
  worker.Template("t", {Request("a"), Request("b")});
  const auto judgement = worker.Pods(1, "t");
  REQUIRE(judgement.verdict.reasons.size() == 2);
  for (const auto& reason : judgement.verdict.reasons) {
    CHECK(reason.code == ReasonCode::kNotEnoughDevices);
    CHECK_THAT(verdict::MessageOf(reason), ContainsSubstring("only 0 of 1 pod would fit"));
  }
}

TEST_CASE("a named claim that holds its devices for others can be waited for") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2));
  json claim = Claim("shared", {Request("r", 2)});
  worker.Add(claim).Add(Holding("x", "gpu-0", Of("n1")));
  const auto pods = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimName": "shared"}]}})", 3);
  auto judgement = worker.Judge({pods});
  CHECK(Last(judgement).code == ReasonCode::kDevicesAllocated);
  // Three pods use it, and two devices are enough for all of them.
  worker.Add(Claim("shared", {Request("r", 3)}));
  judgement = worker.Judge({pods});
  CHECK(Last(judgement).code == ReasonCode::kNotEnoughDevices);
}

}  // namespace
}  // namespace fedra::test::waiting_test
