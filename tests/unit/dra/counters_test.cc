// Shared counters of partitionable devices.

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::counters_test {
namespace {

using dra::Fit;

json CounterSlice(const char* name, const json& sets, const json& more = json::object()) {
  json slice = Slice(name, {}, more);
  slice["spec"].erase("devices");
  slice["spec"]["sharedCounters"] = sets;
  return slice;
}

json Set(const char* name, int memory) {
  return {{"name", name}, {"counters", {{"memory", {{"value", std::to_string(memory)}}}}}};
}

json Partition(const std::string& name, const char* set, int memory,
               const json& attributes = json::object()) {
  const json taken = {{"counterSet", set},
                      {"counters", {{"memory", {{"value", std::to_string(memory)}}}}}};
  return Device(name, attributes, {{"consumesCounters", {taken}}});
}

const json kTwoSlices = {{"pool", {{"resourceSliceCount", 2}}}};

Case MigCase(const std::vector<json>& devices, int memory = 8) {
  Case c;
  c.slices = {CounterSlice("0", {Set("gpu-0", memory), Set("gpu-1", memory)}, kTwoSlices),
              Slice("1", devices, kTwoSlices)};
  return c;
}

TEST_CASE("partitions are taken as far as the counters reach (S5)") {
  Case c = MigCase({Partition("full", "gpu-0", 8), Partition("a", "gpu-0", 4),
                    Partition("b", "gpu-0", 4), Partition("c", "gpu-0", 4)});
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).devices == Names({"full"}));
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("r", 3)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("allocated partitions reduce the counters, those on other nodes as well") {
  Case c = MigCase({Partition("a", "gpu-0", 4), Partition("b", "gpu-0", 4)});
  c.claims = {Claim("c", {Request("r", 1)})};
  c.slices[0]["spec"]["pool"]["resourceSliceCount"] = 3;
  c.slices[1]["spec"]["pool"]["resourceSliceCount"] = 3;
  c.slices.push_back(Slice("2", {Partition("there", "gpu-0", 6)},
                           {{"nodeName", "node-2"}, {"pool", {{"resourceSliceCount", 3}}}}));
  CHECK(Solve(c).fit == Fit::kFit);
  c.allocated = {Holding("x", "there")};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("one overdrawn counter blocks every counter device of the pool") {
  Case c = MigCase({Partition("a", "gpu-0", 9), Partition("b", "gpu-1", 1), Device("plain")});
  c.allocated = {Holding("x", "a")};
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).devices == Names({"plain"}));
}

TEST_CASE("counters are compared for admin access too") {
  Case c = MigCase({Partition("a", "gpu-0", 9)});
  c.claims = {Claim("c", {Request("r", 1, {{"adminAccess", true}})})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("up to 1.36 pools of one name share the table of the first that is asked") {
  Case c = MigCase({Partition("a", "gpu-0", 4)});
  const json other = {{"driver", "a.example.com"}, {"pool", {{"resourceSliceCount", 2}}}};
  c.slices.push_back(CounterSlice("2", json::array({Set("gpu-0", 1)}), other));
  c.slices.push_back(Slice("3", json::array({Partition("z", "gpu-0", 1)}), other));
  c.classes = {Class("gpu"), Class("other", {R"(device.driver == "a.example.com")"})};
  c.claims = {Claim("c", {Request("z", 1, {{"deviceClassName", "other"}}), Request("r")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.features.counters_by_pool_name = true;  // 4 of what the other pool publishes as 1
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a shared device takes its counters once") {
  Case c = MigCase({Partition("a", "gpu-0", 8)});
  c.slices[1]["spec"]["devices"][0]["allowMultipleAllocations"] = true;
  c.claims = {Claim("c", {Request("r")}), Claim("d", {Request("r")})};
  CHECK(Solve(c).devices == Names({"a", "a"}));
}

TEST_CASE("without the feature devices that consume counters are never taken") {
  Case c;
  c.features.partitionable_devices = false;
  c.slices = {Slice("1", {Partition("a", "gpu-0", 1), Device("b")})};
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).devices == Names({"b"}));
}

TEST_CASE("devices beside counter sets are never taken, except up to 1.34") {
  Case c;
  json slice = Slice("1", {Partition("a", "gpu-0", 1)});
  slice["spec"]["sharedCounters"] = json::array({Set("gpu-0", 8)});
  c.slices = {slice};
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.features.counters_per_slice = true;
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("four profiles from one parent (N4): joint where counts per profile would pass") {
  std::vector<json> devices;
  const std::vector<std::pair<const char*, int>> profiles = {{"1g", 1}, {"2g", 2}, {"3g", 4}};
  for (const char* gpu : {"gpu-0", "gpu-1"})
    for (const auto& [profile, size] : profiles)
      for (int i = 0; i < 8 / size; ++i)
        devices.push_back(Partition(std::string(gpu) + "-" + profile + "-" + std::to_string(i), gpu,
                                    size, {{"profile", profile}, {"parentUUID", gpu}}));
  Case c = MigCase(devices);
  const auto profile = [](const char* name, const char* wanted) {
    return Request(
        name, 1,
        {{"selectors", Cel({std::string(R"(device.attributes["gpu.example.com"].profile == ")") +
                            wanted + "\""})}});
  };
  const std::vector<json> four = {profile("a", "1g"), profile("b", "1g"), profile("c", "2g"),
                                  profile("d", "3g")};
  const std::vector<json> same_parent = {Match("gpu.example.com/parentUUID")};
  c.claims = {Claim("one", four, same_parent), Claim("two", four, same_parent)};
  const Outcome out = Solve(c);
  REQUIRE(out.fit == Fit::kFit);
  CHECK(out.devices[0] == "gpu-0-1g-0");
  CHECK(out.devices[4] == "gpu-1-1g-0");
  c.claims.push_back(Claim("three", four, same_parent));
  const Outcome third = Solve(c);
  CHECK(third.fit == Fit::kNoFit);
  CHECK(third.allocation.steps < 200'000);
}

TEST_CASE("more partitions than the counters can feed are refused at once") {
  std::vector<json> devices;
  std::vector<json> sets;
  for (int gpu = 0; gpu < 8; ++gpu) {
    const std::string set = "gpu-" + std::to_string(gpu);
    sets.push_back(Set(set.c_str(), 8));
    for (int i = 0; i < 4; ++i)
      devices.push_back(Partition(set + "-" + std::to_string(i), set.c_str(), 4));
  }
  Case c;
  c.slices = {CounterSlice("0", sets, kTwoSlices), Slice("1", devices, kTwoSlices)};
  c.claims = {Claim("c", {Request("r", 16)})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("r", 17)})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kNoFit);
  CHECK(out.allocation.steps < 5000);
}

// Found by comparing with the library that kube-scheduler links: both fit.
TEST_CASE("a device that names a counter set twice takes the sum, and counts once") {
  const auto twice = [](const char* name, const char* root) {
    json device = Partition(name, "gpu-0", 1, {{"std.io/root", root}});
    json& taken = device["consumesCounters"];
    taken.push_back(taken[0]);
    return device;
  };
  json nic = Slice("2", {Device("k", {{"std.io/root", "b"}})}, {{"driver", "nic"}});
  for (const int memory : {1, 2, 4}) {
    INFO(memory);
    Case c = MigCase({twice("a", "a"), twice("b", "b"), twice("c", "b")}, memory);
    c.slices.push_back(nic);
    c.classes = {Class("gpu"), Class("nic", {R"(device.driver == "nic")"})};
    c.claims = {Claim("c", {Request("r"), Request("s", 1, {{"deviceClassName", "nic"}})},
                      {Match("std.io/root")})};
    const Outcome out = Solve(c);
    if (memory >= 2) CHECK(out.devices == Names({"b", "k"}));
    if (memory < 2) CHECK(out.fit == Fit::kNoFit);
    c.claims = {Claim("c", {Request("r", 2)})};
    CHECK((Solve(c).fit == Fit::kFit) == (memory == 4));
  }
}

}  // namespace
}  // namespace fedra::test::counters_test
