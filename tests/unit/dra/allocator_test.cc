// The allocator's basics: counts, selectors, several requests and claims, order of the search.

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::allocator_test {
namespace {

using dra::Fit;

TEST_CASE("one device is taken from the first slice by name, in list order") {
  Case c;
  c.slices = {
      Slice("b", {Device("late")}, {{"pool", {{"resourceSliceCount", 2}}}}),
      Slice("a", {Device("early"), Device("second")}, {{"pool", {{"resourceSliceCount", 2}}}})};
  c.claims = {Claim("one", {Request("r")})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kFit);
  CHECK(out.results == std::vector<std::string>{"ml/one r gpu.example.com/node-1/early"});
}

TEST_CASE("pools are tried by driver and pool name") {
  Case c;
  c.classes = {Class("gpu", {"true"})};
  c.slices = {Slice("1", {Device("z")}, {{"driver", "z.example.com"}}),
              Slice("2", {Device("b")}, {{"driver", "a.example.com"}, {"pool", {{"name", "b"}}}}),
              Slice("3", {Device("a")}, {{"driver", "a.example.com"}, {"pool", {{"name", "a"}}}})};
  c.claims = {Claim("all", {Request("r", 3)})};
  CHECK(Solve(c).devices == Names({"a", "b", "z"}));
}

TEST_CASE("a pool with binding conditions is tried after all others") {
  Case c;
  const json conditions = {{"bindingConditions", {"ready"}}, {"bindingFailureConditions", {"bad"}}};
  c.slices = {Slice("1", {Device("bound", {}, conditions)}, {{"pool", {{"name", "a"}}}}),
              Slice("2", {Device("free")}, {{"pool", {{"name", "b"}}}})};
  c.claims = {Claim("two", {Request("r", 2)})};
  CHECK(Solve(c).devices == Names({"free", "bound"}));
  c.features.binding_conditions = false;
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("class selectors and request selectors must all be true") {
  Case c;
  c.slices = {Slice(
      "1", {Device("a", {{"model", "x"}, {"size", 1}}), Device("b", {{"model", "y"}, {"size", 1}}),
            Device("c", {{"model", "y"}, {"size", 2}})})};
  c.claims = {Claim(
      "one",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "y")",
                                   R"(device.attributes["gpu.example.com"].size == 2)"})}})})};
  CHECK(Solve(c).devices == Names({"c"}));
}

TEST_CASE("the search goes back over requests and claims") {
  Case c;
  c.slices = {Slice("1", {Device("big", {{"size", 2}}), Device("small", {{"size", 1}})})};
  const json wants_big = {
      {"selectors", Cel({R"(device.attributes["gpu.example.com"].size == 2)"})}};
  SECTION("over the requests of one claim") {
    c.claims = {Claim("c", {Request("any"), Request("big", 1, wants_big)})};
  }
  SECTION("over claims") {
    c.claims = {Claim("c", {Request("any")}), Claim("d", {Request("big", 1, wants_big)})};
  }
  CHECK(Solve(c).devices == Names({"small", "big"}));
}

TEST_CASE("a device that a claim holds cannot be taken, one held with admin access can") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b"), Device("c")})};
  c.allocated = {Holding("x", "a"), Holding("y", "b", {{"adminAccess", true}})};
  c.claims = {Claim("one", {Request("r", 2)})};
  CHECK(Solve(c).devices == Names({"b", "c"}));
  c.claims = {Claim("one", {Request("r", 3)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("no claims, no requests and a count of zero fit with nothing") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("empty", {})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("zero", {Request("r", 0)})};
  CHECK(Solve(c).fit == Fit::kFit);
  CHECK(Solve(c).devices.empty());
}

TEST_CASE("more equal devices than are free: an immediate no") {
  Case c;
  c.slices = {Slice("1", Devices(31, {{"model", "a"}}))};
  c.claims = {Claim("many", {Request("r", 32)})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kNoFit);
  CHECK(out.allocation.deepest == 31);
  CHECK(out.allocation.steps < 3000);
}

TEST_CASE("requests that cannot all have a device of their own: an immediate no") {
  Case c;
  std::vector<json> devices;
  for (int i = 0; i < 24; ++i)
    devices.push_back(Device("gpu-" + std::to_string(i), {{"index", i}}));
  c.slices = {Slice("1", devices)};
  std::vector<json> requests;
  for (int i = 0; i < 25; ++i) requests.push_back(Request("r" + std::to_string(i)));
  c.claims = {Claim("many", requests, {Distinct("gpu.example.com/index")})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kNoFit);
  CHECK(out.allocation.steps < 10'000);
}

TEST_CASE("a search that finds no end says so") {
  Case c;
  c.slices = {Slice("1", Devices(12))};
  c.claims = {Claim("c", {Request("a", 6), Request("b", 6)})};
  c.limits.max_steps = 5;
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kBudget);
  CHECK(out.allocation.steps > 5);
  CHECK(out.allocation.steps < 20);
  CHECK(out.error == "no answer after " + std::to_string(out.allocation.steps) + " steps");
}

TEST_CASE("All takes every matching device, and fails when one of them is in use") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b")}),
              Slice("2", {Device("other")}, {{"driver", "x"}, {"pool", {{"name", "x"}}}})};
  c.claims = {Claim("all", {All("r")})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.allocated = {Holding("x", "b")};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("All without any matching device fails") {
  Case c;
  c.slices = {Slice("1", {Device("other")}, {{"driver", "x"}})};
  c.claims = {Claim("all", {All("r")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("firstAvailable takes the first alternative with which everything else fits") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b")})};
  const json alternatives = FirstAvailable("pick", {Request("two", 2), Request("one", 1)});
  SECTION("the first one") {
    c.claims = {Claim("c", {alternatives})};
    const Outcome out = Solve(c);
    CHECK(out.results == std::vector<std::string>{"ml/c pick/two gpu.example.com/node-1/a",
                                                  "ml/c pick/two gpu.example.com/node-1/b"});
    CHECK(out.allocation.alternatives == std::vector<int>{0});
  }
  SECTION("a later claim needs a device: the second one") {
    c.claims = {Claim("c", {alternatives}), Claim("d", {Request("r")})};
    const Outcome out = Solve(c);
    CHECK(out.devices == Names({"a", "b"}));
    CHECK(out.allocation.alternatives == std::vector<int>{1});
  }
  SECTION("none") {
    c.claims = {Claim("c", {FirstAvailable("pick", {Request("three", 3)})})};
    CHECK(Solve(c).fit == Fit::kNoFit);
  }
}

TEST_CASE("perDeviceNodeSelection: a slice is looked at when any device matches") {
  Case c;
  const json per_device = {{"nodeName", nullptr}, {"perDeviceNodeSelection", true}};
  c.slices = {Slice(
      "1",
      {Device("there", {}, {{"nodeName", "node-2"}}), Device("here", {}, {{"nodeName", "node-1"}}),
       Device("everywhere", {}, {{"allNodes", true}})},
      per_device)};
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(Solve(c).devices == Names({"here", "everywhere"}));
  c.node = "node-3";
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a node selector with matchFields metadata.name") {
  Case c;
  const json selector = {
      {"nodeSelectorTerms",
       {{{"matchFields",
          {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {"node-1"}}}}}}}}};
  c.slices = {Slice("1", {Device("a")}, {{"nodeName", nullptr}, {"nodeSelector", selector}})};
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.node = "node-2";
  CHECK(Solve(c).fit == Fit::kNoFit);
}

}  // namespace
}  // namespace fedra::test::allocator_test
