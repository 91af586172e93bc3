// Pools that cannot be used: when they are the reason, and what is wrong with them.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::judge_pools_test {
namespace {

using Catch::Matchers::EndsWith;

const json kOneOfTwo = {{"pool", {{"resourceSliceCount", 2}}}};

json Nics() {
  json more = kOneOfTwo;
  more["driver"] = "nic.example.com";
  more["pool"]["name"] = "nics";
  return more;
}

TEST_CASE("an incomplete pool of another driver is not why a driver's devices are missing") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("nic-0")}, Nics()).Template("t", {Request("r")});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDriverMissing);
  CHECK_THAT(First(judgement), EndsWith("1 device: 1 other driver"));
}

TEST_CASE("nor why those of the driver do not match") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("nic-0")}, Nics()).On("n1", Devices(2));
  worker.Template("t", {Request("r", 1, {{"selectors", Cel({"false"})}})});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kNoMatchingDevice);
  CHECK_THAT(First(judgement),
             EndsWith("3 devices: 1 other driver, 2 fail request selector false"));
}

TEST_CASE("an incomplete pool that may get matching devices is, with what it lacks") {
  Worker worker;
  worker.Node("n1");
  worker.AddClass(Class("far", {R"(device.attributes["gpu.example.com"].?far.orValue(false))"}));
  SECTION("of the driver that is asked for") {
    worker.On("n1", {Device("a")}, kOneOfTwo);
    worker.Template("t", {Request("r", 1, {{"selectors", Cel({"false"})}})});
  }
  SECTION("of any, when the class names no driver") {
    worker.On("n1", {Device("a")}, kOneOfTwo);
    worker.Template("t", {Request("r", 1, {{"deviceClassName", "far"}})});
  }
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kPoolIncomplete);
  CHECK_THAT(First(judgement),
             EndsWith("1 device: 1 in incomplete or invalid pools (gpu.example.com/n1: has 1 of 2 "
                      "slices of generation 1)"));
}

TEST_CASE("an invalid pool is, when its own devices would do, with what contradicts itself") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("a"), Device("b")}, kOneOfTwo);
  worker.On("n1", {Device("a")}, kOneOfTwo);
  worker.Template("t", {Request("r")});
  auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kPoolIncomplete);
  CHECK_THAT(First(judgement),
             EndsWith("3 in incomplete or invalid pools (gpu.example.com/n1: two devices are named "
                      "a, one of them in slice slice-1)"));
  worker.Template("other", {Request("r", 1, {{"selectors", Cel({"false"})}})});
  judgement = worker.Pods(1, "other");
  CHECK(Code(judgement) == ReasonCode::kNoMatchingDevice);
  CHECK_THAT(First(judgement), EndsWith("3 devices: 3 fail request selector false"));
  worker.Template("all", {All("r")});
  CHECK_THAT(First(worker.Pods(1, "all")),
             EndsWith("is currently invalid: two devices are named a, one of them in slice "
                      "slice-1"));
}

TEST_CASE("what a pool lacks is told where All fails on it") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).On("n1", {Device("nic-0")}, Nics());
  worker.Template("all", {All("r")});
  CHECK_THAT(First(worker.Pods(1, "all")),
             EndsWith("nic.example.com/nics is currently being updated: it has 1 of 2 slices of "
                      "generation 1"));
}

TEST_CASE("many pools in trouble are not all told") {
  Worker worker;
  for (const char* node : {"n1", "n2", "n3", "n4", "n5"})
    worker.Node(node).On(node, {Device("a")}, kOneOfTwo);
  worker.Template("t", {Request("r")});
  const std::string text = First(worker.Pods(1, "t"));
  CHECK_THAT(text, ContainsSubstring("5 in incomplete or invalid pools (gpu.example.com/n1: has"));
  CHECK_THAT(text, ContainsSubstring("gpu.example.com/n3: has"));
  CHECK_THAT(text, !ContainsSubstring("gpu.example.com/n4"));
}

TEST_CASE("a broken pool of a node that the pod cannot use is not why") {
  const char* code = nullptr;
  const char* text = nullptr;
  Worker worker;
  worker.Node("n1", {{"zone", "a"}}).Node("n2", {{"zone", "b"}}).On("n1", Devices(1));
  SECTION("its devices do not match") {
    worker.On("n2", {Device("far")}, kOneOfTwo);
    worker.Template("t", {Request("r", 1, {{"selectors", Cel({"false"})}})});
    code = "NoMatchingDevice";
    text = "2 devices: 2 fail request selector false";
  }
  SECTION("its devices match") {
    worker.On("n2", {Device("far", {{"far", true}})}, kOneOfTwo);
    const auto far = Cel({R"(device.attributes["gpu.example.com"].?far.orValue(false))"});
    worker.Template("t", {Request("r", 1, {{"selectors", far}})});
    code = "NodeMismatch";
    text = "1 on nodes the pod cannot use";
  }
  const auto judgement = worker.Judge({worker.Parse(R"({"spec": {"nodeSelector": {"zone": "a"},
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})")});
  CHECK(verdict::ToString(Code(judgement)) == code);
  CHECK_THAT(First(judgement), ContainsSubstring(text));
}

TEST_CASE("an incomplete pool that serves is counted like others (up to 1.34)") {
  dra::AllocatorFeatures features;
  features.incomplete_pools_serve = true;
  Worker worker(features);
  worker.Node("n1").On("n1", {Device("a")}, kOneOfTwo).Template("t", {Request("r", 2)});
  const auto judgement = worker.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kNotEnoughDevices);
  CHECK_THAT(First(judgement), ContainsSubstring("1 device: 1 free"));
}

}  // namespace
}  // namespace fedra::test::judge_pools_test
