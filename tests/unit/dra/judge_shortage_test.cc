// What the nearest node is short of, in numbers.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::judge_shortage_test {
namespace {

json OfModel(const std::string& name, int count, const char* model) {
  const std::string expression =
      std::string(R"(device.attributes["gpu.example.com"].model == ")") + model + "\"";
  return Request(name, count, {{"selectors", Cel({expression})}});
}

json Shared(const std::string& name, const char* memory) {
  return Device(
      name, json::object(),
      {{"allowMultipleAllocations", true}, {"capacity", {{"memory", {{"value", memory}}}}}});
}

json Wanting(const std::string& name, const char* memory) {
  return Request(name, 1, {{"capacity", {{"requests", {{"memory", memory}}}}}});
}

json HoldingShare(const std::string& name, const std::string& device, const char* memory) {
  json held = Holding(name, device, {{"pool", "n1"}});
  json& result = held["status"]["allocation"]["devices"]["results"][0];
  result["shareID"] = "5f2f5f3a-0000-4000-8000-000000000000";
  result["consumedCapacity"] = {{"memory", memory}};
  return held;
}

TEST_CASE("the nearest node is told with what it has for each request") {
  Worker worker;
  worker.Node("n1").Node("n2");
  worker.On("n1", {Device("a", {{"model", "x"}})});
  worker.On("n2", {Device("a", {{"model", "y"}}), Device("b", {{"model", "y"}})});
  worker.Template("t", {OfModel("x", 1, "x"), OfModel("y", 2, "y")});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(First(judgement),
             ContainsSubstring("the nearest is n2 (request x: 0 of 1, request y: 2 of 2)"));
}

TEST_CASE("requests that want the same devices are told to have them each alone") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3)).Template("t", {Request("x", 2), Request("y", 2)});
  const auto judgement = worker.Pods(1, "t");
  CHECK_THAT(First(judgement), ContainsSubstring("(request x: 2 of 2, request y: 2 of 2, each "
                                                 "alone)"));
}

TEST_CASE("one alternative with enough devices is what its request has") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(3));
  const json big = Request("big", 1, {{"selectors", Cel({"false"})}});
  worker.Template("t", {FirstAvailable("x", {big, Request("any", 2)}), Request("y", 2)});
  CHECK_THAT(First(worker.Pods(1, "t")),
             ContainsSubstring("(request x/big: 0 of 1, request x/any: 2 of 2, request y: 2 of 2, "
                               "each alone)"));
}

TEST_CASE("many requests are not all told, but all count") {
  Worker worker;
  worker.Node("n1").Node("n2").On("n1", Devices(9));
  worker.On("n2", {Device("far", {{"model", "far"}})});
  const auto selectors =
      Cel({R"(device.attributes["gpu.example.com"].?model.orValue("") == "far")"});
  std::vector<json> requests;
  for (int i = 0; i < 9; ++i) requests.push_back(Request("r" + std::to_string(i)));
  requests.push_back(Request("far", 1, {{"selectors", selectors}}));
  worker.Template("t", requests);
  const std::string text = First(worker.Pods(1, "t"));
  CHECK_THAT(text, ContainsSubstring("request r7: 1 of 1, ..., each alone)"));
}

TEST_CASE("a device without enough capacity is told with what it has left, the fullest last") {
  Worker worker;
  worker.Node("n1").On("n1", {Shared("a", "30Gi"), Shared("b", "30Gi")});
  worker.Add(HoldingShare("x", "a", "28Gi")).Add(HoldingShare("y", "b", "22Gi"));
  worker.Template("t", {Wanting("r", "20Gi")});
  auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kCapacityExhausted);
  CHECK_THAT(First(judgement), ContainsSubstring("2 devices: 2 without enough capacity: need 20Gi "
                                                 "of memory (8Gi left on b)"));
  worker.Template("t", {Request("r", 1, {{"capacity", {{"requests", {{"cores", "2"}}}}}})});
  CHECK_THAT(First(worker.Pods(1, "t")), ContainsSubstring("need 2 of cores (a has none)"));
}

TEST_CASE("an amount that the policy of a capacity does not allow is told as such") {
  json device = Shared("a", "30Gi");
  device["capacity"]["memory"]["requestPolicy"] = {{"default", "1Gi"}, {"validValues", {"1Gi"}}};
  Worker worker;
  worker.Node("n1").On("n1", {device}).Template("t", {Wanting("r", "2Gi")});
  CHECK_THAT(First(worker.Pods(1, "t")),
             ContainsSubstring("need 2Gi of memory (a gives no such amount)"));
}

TEST_CASE("requests that exceed a capacity together are told with what is left for them") {
  Worker worker;
  worker.Node("n1").On("n1", {Shared("a", "40Gi")});
  worker.Add(HoldingShare("x", "a", "10Gi"));
  worker.Template("t", {Wanting("x", "20Gi"), Wanting("y", "20Gi")});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kCapacityExhausted);
  CHECK(First(judgement) ==
        "not enough device capacity is left on node n1: 2 need 20Gi of memory (30Gi left on a)");
}

TEST_CASE("of several capacities the one that is short is told, asked for or not") {
  Worker worker;
  const json device =
      Device("a", json::object(),
             {{"allowMultipleAllocations", true},
              {"capacity", {{"memory", {{"value", "40Gi"}}}, {"bandwidth", {{"value", "10G"}}}}}});
  worker.Node("n1").On("n1", {device}).Template("t", {Wanting("x", "1Gi"), Wanting("y", "1Gi")});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kCapacityExhausted);
  CHECK_THAT(First(judgement), ContainsSubstring("2 need 10G of bandwidth (10G left on a)"));
  CHECK_THAT(First(judgement), !ContainsSubstring("memory"));
}

TEST_CASE("nothing is searched where every node has too few devices, however many they are") {
  Worker worker;
  worker.Node("n1").Node("n2").On("n1", Devices(24)).On("n2", Devices(24));
  worker.Template("t", {Request("r", 25)});
  const dra::PodDemand pod = worker.Parse(
      R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})");
  const auto judgement = worker.Judge({pod}, {.limits = {.max_steps = 1}});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kNotEnoughDevices);
}

}  // namespace
}  // namespace fedra::test::judge_shortage_test
