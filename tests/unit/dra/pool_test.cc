// Which pools a node sees.

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::pool_test {
namespace {

using dra::Fit;

json Pool(int generation, int count, const char* name = "node-1") {
  return {{"pool", {{"name", name}, {"generation", generation}, {"resourceSliceCount", count}}}};
}

json On(const char* node, json more) {
  more["nodeName"] = node;
  return more;
}

json Labelled(const char* value, json more) {
  more["nodeName"] = nullptr;
  more["nodeSelector"] = {
      {"nodeSelectorTerms",
       {{{"matchExpressions", {{{"key", "zone"}, {"operator", "In"}, {"values", {value}}}}}}}}};
  return more;
}

Case OneDevice() {
  Case c;
  c.claims = {Claim("c", {Request("r")})};
  c.labels = {{"zone", "a"}};
  return c;
}

TEST_CASE("only the newest generation counts") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("old")}, Pool(1, 1)), Slice("2", {Device("new")}, Pool(2, 1))};
  CHECK(Solve(c).devices == Names({"new"}));
  c.slices = {Slice("1", {Device("new")}, Pool(2, 1)), Slice("2", {Device("old")}, Pool(1, 1))};
  CHECK(Solve(c).devices == Names({"new"}));
}

TEST_CASE("a pool whose newest slices are elsewhere vanishes, All included") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("old")}, Labelled("a", Pool(1, 2, "net"))),
              Slice("2", {Device("new")}, Labelled("b", Pool(2, 1, "net"))),
              Slice("3", {Device("local")}, Pool(1, 1))};
  CHECK(Solve(c).devices == Names({"local"}));
  c.claims = {Claim("c", {All("r")})};
  CHECK(Solve(c).devices == Names({"local"}));
}

TEST_CASE("an old generation that is complete on this node stays in use") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("old")}, Labelled("a", Pool(1, 1, "net"))),
              Slice("2", {Device("new")}, Labelled("b", Pool(2, 1, "net")))};
  CHECK(Solve(c).devices == Names({"old"}));
}

TEST_CASE("an incomplete pool is skipped for counts and fatal for All") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("a")}, Pool(1, 2))};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.features.incomplete_pools_serve = true;  // up to 1.34
  CHECK(Solve(c).fit == Fit::kFit);
  c.features.incomplete_pools_serve = false;
  c.claims = {Claim("c", {All("r")})};
  CHECK(Solve(c).fit == Fit::kError);
}

TEST_CASE("slices on other nodes complete a pool") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("a")}, Pool(1, 2, "host")),
              Slice("2", {Device("b")}, On("node-2", Pool(1, 2, "host")))};
  CHECK(Solve(c).devices == Names({"a"}));
}

TEST_CASE("an invalid pool is skipped; if nothing fits the node reports it") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("a"), Device("a")})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kNoFit);
  CHECK(out.allocation.invalid_pools);
  c.slices.push_back(Slice("2", {Device("b")}, Pool(1, 1, "other")));
  CHECK(Solve(c).devices == Names({"b"}));
  CHECK_FALSE(Solve(c).allocation.invalid_pools);
}

TEST_CASE("up to 1.34 a search that meets an invalid pool ends with an error") {
  Case c = OneDevice();
  c.features.invalid_pools_are_fatal = true;
  c.slices = {Slice("1", {Device("a"), Device("a")}, Pool(1, 1, "m")),
              Slice("2", {Device("b")}, Pool(1, 1, "before"))};
  CHECK(Solve(c).devices == Names({"b"}));
  c.slices[1] = Slice("2", {Device("b")}, Pool(1, 1, "z-behind"));
  CHECK(Solve(c).fit == Fit::kError);
}

struct InvalidRow {
  const char* why;
  json sets;
  json consumes;
};

TEST_CASE("what makes a pool invalid") {
  const json one = {{"memory", {{"value", "1"}}}};
  const std::vector<InvalidRow> rows = {
      {"unknown set",
       {{{"name", "s"}, {"counters", one}}},
       {{{"counterSet", "t"}, {"counters", one}}}},
      {"unknown set without counters",
       {{{"name", "s"}, {"counters", one}}},
       {{{"counterSet", "t"}, {"counters", json::object()}}}},
      {"unknown counter",
       {{{"name", "s"}, {"counters", one}}},
       {{{"counterSet", "s"}, {"counters", {{"cores", {{"value", "1"}}}}}}}},
      {"a set named twice",
       {{{"name", "s"}, {"counters", one}}, {{"name", "s"}, {"counters", one}}},
       json::array()},
  };
  for (const InvalidRow& row : rows) {
    INFO(row.why);
    Case c = OneDevice();
    json device = Device("a");
    if (!row.consumes.empty()) device["consumesCounters"] = row.consumes;
    c.slices = {Slice("1", {device}, Pool(1, 2)), Slice("2", {}, Pool(1, 2))};
    c.slices[1]["spec"]["sharedCounters"] = row.sets;
    const Outcome out = Solve(c);
    CHECK(out.fit == Fit::kNoFit);
    CHECK(out.allocation.invalid_pools);
  }
}

TEST_CASE("until 1.36 counter slices make a pool of another node visible, for All fatally") {
  Case c = OneDevice();
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k136);
  c.claims = {Claim("c", {All("r")})};
  const json there = On("node-2", Pool(1, 3, "node-2"));
  c.slices = {Slice("1", {Device("a")}), Slice("2", {Device("b")}, there)};
  CHECK(Solve(c).fit == Fit::kFit);
  c.slices.push_back(Slice("3", {}, there));
  c.slices.back()["spec"]["sharedCounters"] = {
      {{"name", "s"}, {"counters", {{"memory", {{"value", "1"}}}}}}};
  CHECK(Solve(c).fit == Fit::kError);
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("pools of other nodes are not seen at all") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("there")}, On("node-2", Pool(1, 1, "node-2")))};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {All("r")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("slices for labelled nodes and for all nodes") {
  Case c = OneDevice();
  c.slices = {Slice("1", {Device("zone")}, Labelled("a", Pool(1, 1, "net")))};
  CHECK(Solve(c).fit == Fit::kFit);
  c.labels = {{"zone", "b"}};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.slices = {Slice("1", {Device("any")}, {{"nodeName", nullptr}, {"allNodes", true}})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("without partitionable devices slices with counters or per-device nodes are ignored") {
  Case c = OneDevice();
  c.features.partitionable_devices = false;
  json counters = Slice("1", {Device("a")}, Pool(1, 1, "x"));
  counters["spec"]["sharedCounters"] = {{{"name", "s"}, {"counters", json::object()}}};
  c.slices = {counters, Slice("2", {Device("b", json::object(), {{"allNodes", true}})},
                              {{"nodeName", nullptr}, {"perDeviceNodeSelection", true}})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

}  // namespace
}  // namespace fedra::test::pool_test
