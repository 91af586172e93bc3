// What the allocators of Kubernetes 1.34 to 1.37 decide differently. tests/real/agree_tables.py
// puts each case of AnswersTo() to the four libraries (docs/agreement.md names the lines behind
// it).

#include <array>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"
#include "tests/unit/dra/kept_cases.h"

namespace fedra::test::releases_test {
namespace {

using cel::KubernetesRelease;
using dra::Fit;

// What 1.34, 1.35, 1.36 and 1.37 answer: the devices, or "no", "error".
using Answers = std::array<std::string, 4>;

std::string AnswerOf(Case& c, KubernetesRelease release) {
  c.features = dra::FeaturesOf(release);
  KeepCase(c, std::string(cel::ToString(release)));
  const Outcome outcome = Solve(c);
  switch (outcome.fit) {
    case Fit::kFit:
      break;
    case Fit::kNoFit:
      return outcome.allocation.invalid_pools ? "invalid pools" : "no";
    case Fit::kError:
      return "error";
    case Fit::kBudget:
      return "budget";
  }
  std::string devices;
  for (const std::string& device : outcome.devices)
    devices += (devices.empty() ? "" : " ") + device;
  return devices;
}

Answers AnswersTo(Case c) {
  using enum KubernetesRelease;
  return {AnswerOf(c, k134), AnswerOf(c, k135), AnswerOf(c, k136), AnswerOf(c, k137)};
}

json OfModel(const char* model) {
  return {{"selectors", Cel({std::string(R"(device.attributes["gpu.example.com"].model == ")") +
                             model + "\""})}};
}

const json kTwoSlices = {{"pool", {{"resourceSliceCount", 2}}}};
const json kElsewhere = {{"nodeName", "node-2"}, {"pool", {{"resourceSliceCount", 2}}}};

TEST_CASE("1.34 takes a pool that reaches over two nodes for incomplete, and All for an error") {
  Case c;
  c.slices = {Slice("1", {Device("a")}, kTwoSlices), Slice("2", {Device("b")}, kElsewhere)};
  c.claims = {Claim("all", {All("r")})};
  CHECK(AnswersTo(c) == Answers{"error", "a", "a", "a"});
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"a", "a", "a", "a"});
}

TEST_CASE("1.34 does not notice that a newer generation is on other nodes only") {
  Case c;
  json newer = kElsewhere;
  newer["pool"]["generation"] = 2;
  c.slices = {Slice("1", {Device("a")}, kTwoSlices), Slice("2", {Device("b")}, newer)};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"a", "no", "no", "no"});
}

TEST_CASE("an invalid pool ends the search in 1.34, and nothing in newer releases") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("a")})};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"error", "invalid pools", "invalid pools", "invalid pools"});
}

TEST_CASE("1.34 takes devices beside shared counters") {
  Case c;
  c.slices = {
      Slice("1", {Device("a")},
            {{"sharedCounters", {{{"name", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}}})};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"a", "no", "no", "no"});
}

TEST_CASE("until 1.36 another node's counters must be complete for All") {
  Case c;
  json counters = kElsewhere;
  counters["sharedCounters"] = {{{"name", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}};
  counters["pool"]["name"] = "node-2";
  c.slices = {Slice("1", {Device("a")}), Slice("2", {}, counters)};
  c.claims = {Claim("all", {All("r")})};
  CHECK(AnswersTo(c) == Answers{"a", "a", "error", "a"});
}

TEST_CASE("a counter slice that names another node still feeds its pool in 1.37") {
  Case c;
  json counters = kElsewhere;
  counters["sharedCounters"] = {{{"name", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}};
  const json takes_one = {
      {"consumesCounters", {{{"counterSet", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}}};
  c.slices = {Slice("1", {Device("a", {}, takes_one), Device("b", {}, takes_one)}, kTwoSlices),
              Slice("2", {}, counters)};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"no", "no", "a", "a"});
  c.claims = {Claim("two", {Request("r", 2)})};
  CHECK(AnswersTo(c) == Answers{"no", "no", "no", "no"});
}

TEST_CASE("until 1.36 All leaves out devices that others have used up") {
  Case c;
  const json shared = {{"allowMultipleAllocations", true},
                       {"capacity", {{"memory", {{"value", "10"}}}}}};
  c.slices = {Slice("1", {Device("a", {}, shared), Device("b", {}, shared)})};
  c.allocated = {Holding("x", "a",
                         {{"shareID", "11111111-1111-1111-1111-111111111111"},
                          {"consumedCapacity", {{"memory", "10"}}}})};
  c.claims = {Claim("all", {All("r")})};
  // Without consumable capacity a share is the whole device.
  CHECK(AnswersTo(c) == Answers{"no", "no", "b", "no"});
}

TEST_CASE("a share without capacities has its counters since 1.37") {
  Case c;
  const json shared = {
      {"allowMultipleAllocations", true},
      {"consumesCounters", {{{"counterSet", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}}};
  c.slices = {Slice("1", {Device("a", {}, shared)}, kTwoSlices),
              Slice("2", {},
                    {{"sharedCounters", {{{"name", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}},
                     {"pool", {{"resourceSliceCount", 2}}}})};
  c.allocated = {Holding("x", "a", {{"shareID", "11111111-1111-1111-1111-111111111111"}})};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"no", "no", "no", "a"});
}

TEST_CASE("up to 1.35 All in a later alternative goes on with the first one") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"model", "x"}}), Device("b", {{"model", "x"}}),
                          Device("c", {{"model", "x"}})})};
  c.claims = {Claim("c", {FirstAvailable("r", {Request("five", 5), All("all")})})};
  // One device of All, then the second to fifth of the other: there are only two more.
  CHECK(AnswersTo(c) == Answers{"no", "no", "a b c", "a b c"});
  // One device is enough for it.
  c.claims = {Claim("c", {FirstAvailable("r", {Request("y", 1, OfModel("y")), All("all")})})};
  CHECK(AnswersTo(c) == Answers{"a", "a", "a b c", "a b c"});
}

TEST_CASE("up to 1.35 All in the second alternative matches what All in the first does") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"model", "x"}}), Device("b", {{"model", "y"}})})};
  c.claims = {Claim("c", {FirstAvailable("r", {All("x", OfModel("z")), All("y", OfModel("y"))})})};
  CHECK(AnswersTo(c) == Answers{"no", "no", "b", "b"});
}

TEST_CASE("a capacity request without the feature is an error in 1.34 and nothing in 1.35") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  c.claims = {Claim("c", {Request("r", 1, {{"capacity", {{"requests", {{"memory", "1"}}}}}})})};
  CHECK(AnswersTo(c) == Answers{"error", "a", "no", "no"});
}

TEST_CASE("distinctAttribute: never equal in 1.34, unknown in 1.35, forgetful in 1.36") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"n", 1}}), Device("b", {{"n", 1}}), Device("c", {{"n", 2}}),
                          Device("d", {{"n", 1}}), Device("e", {{"n", 3}})})};
  c.claims = {Claim("c", {Request("r", 2)}, {Distinct("gpu.example.com/n")})};
  CHECK(AnswersTo(c) == Answers{"a b", "error", "a c", "a c"});
  c.claims = {Claim("c", {Request("r", 3)}, {Distinct("gpu.example.com/n")})};
  CHECK(AnswersTo(c) == Answers{"a b c", "error", "a c d", "a c e"});
}

TEST_CASE("1.35 has forgotten binding conditions in the order of the search") {
  Case c;
  const json conditions = {{"bindingConditions", {"ready"}}, {"bindingFailureConditions", {"bad"}}};
  c.slices = {Slice("1", {Device("bound", {}, conditions), Device("b")}, kTwoSlices),
              Slice("2", {Device("c")}, kTwoSlices)};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"c", "b", "bound", "bound"});
}

TEST_CASE("selectors see lists in 1.37, and no sharing in 1.35") {
  Case c;
  c.classes = {Class("gpu", {"true"})};
  c.slices = {Slice("1", {Device("a", {{"list", {{"strings", {"x"}}}}})})};
  c.claims = {Claim("one", {Request("r")})};
  CHECK(AnswersTo(c) == Answers{"error", "error", "error", "a"});
  c.slices = {Slice("1", {Device("a", {}, {{"allowMultipleAllocations", true}})})};
  c.classes = {Class("gpu", {"device.allowMultipleAllocations"})};
  CHECK(AnswersTo(c) == Answers{"a", "no", "a", "a"});
}

TEST_CASE("up to 1.35 looking for more devices than there are takes longer") {
  Case c;
  c.slices = {Slice("1", Devices(10))};
  c.claims = {Claim("c", {Request("r", 11)})};
  c.features = dra::FeaturesOf(KubernetesRelease::k136);
  const double combinations = Solve(c).allocation.scheduler_steps;
  c.features = dra::FeaturesOf(KubernetesRelease::k135);
  const double arrangements = Solve(c).allocation.scheduler_steps;
  CHECK(combinations < 1024);
  CHECK(arrangements > 900'000);  // of the nine that are left after the first
}

}  // namespace
}  // namespace fedra::test::releases_test
