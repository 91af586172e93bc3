// Compatibility groups of devices that take of one counter set (gate DRADeviceCompatibilityGroups):
// checkAndConsumeCompatibilityGroups and compatibilityGroupsBaselineForPool of the experimental
// allocator, Kubernetes v1.37.2.

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::compatibility_groups_test {
namespace {

using dra::Fit;
using Groups = std::vector<std::string>;

json Takes(const char* set, const Groups& groups) {
  json taken = {{"counterSet", set}, {"counters", {{"memory", {{"value", "1"}}}}}};
  if (!groups.empty()) taken["compatibilityGroups"] = groups;
  return taken;
}

json Grouped(const std::string& name, const Groups& groups, const json& more = json::object()) {
  json fields = {{"consumesCounters", {Takes("gpu-0", groups)}}};
  fields.update(more);
  return Device(name, json::object(), fields);
}

json Sets(int memory = 8) {
  json sets = json::array();
  for (const char* name : {"gpu-0", "gpu-1"})
    sets.push_back(
        {{"name", name}, {"counters", {{"memory", {{"value", std::to_string(memory)}}}}}});
  return sets;
}

const json kTwoSlices = {{"pool", {{"resourceSliceCount", 2}}}};

Case With(const std::vector<json>& devices, const std::vector<json>& claims) {
  Case c;
  json sets = Slice("0", {}, kTwoSlices);
  sets["spec"].erase("devices");
  sets["spec"]["sharedCounters"] = Sets();
  c.slices = {sets, Slice("1", devices, kTwoSlices)};
  c.claims = claims;
  return c;
}

struct Row {
  const char* why;
  std::vector<std::pair<const char*, Groups>> devices;  // all of the set gpu-0
  std::vector<const char*> allocated;
  int count;
  std::vector<std::string> chosen;  // empty: they do not fit
};

TEST_CASE("devices of one counter set need a group in common, or none at all") {
  const std::vector<Row> rows = {
      {"the same group", {{"a", {"x"}}, {"b", {"x"}}}, {}, 2, {"a", "b"}},
      {"other groups", {{"a", {"x"}}, {"b", {"y"}}}, {}, 2, {}},
      {"... each alone is fine", {{"a", {"x"}}, {"b", {"y"}}}, {}, 1, {"a"}},
      {"no groups go with no groups", {{"a", {}}, {"b", {}}, {"c", {"x"}}}, {}, 2, {"a", "b"}},
      {"... and not with some", {{"a", {}}, {"b", {"x"}}}, {}, 2, {}},
      {"... in either order", {{"a", {"x"}}, {"b", {}}}, {}, 2, {}},
      {"one group of two", {{"a", {"x", "y"}}, {"b", {"y", "z"}}}, {}, 2, {"a", "b"}},
      {"pairs with a group each, but none for all three",
       {{"a", {"x", "y"}}, {"b", {"y", "z"}}, {"c", {"x", "z"}}},
       {},
       3,
       {}},
      {"the search goes back to another first device",
       {{"a", {"x"}}, {"b", {"y"}}, {"c", {"y"}}},
       {},
       2,
       {"b", "c"}},
      {"allocated devices count", {{"a", {"x"}}, {"b", {"y"}}, {"c", {"x"}}}, {"a"}, 1, {"c"}},
      {"... those without groups as well", {{"a", {}}, {"b", {"y"}}, {"c", {}}}, {"a"}, 1, {"c"}},
      {"... all of them", {{"a", {"x", "y"}}, {"b", {"y"}}, {"c", {"x"}}}, {"a", "b"}, 1, {}},
      {"of allocated ones that do not go together nothing is common",
       {{"a", {"x"}}, {"b", {"y"}}, {"c", {"x"}}, {"d", {}}},
       {"a", "b"},
       1,
       {}},
      {"... but where the first has none, none counts",
       {{"a", {}}, {"b", {"y"}}, {"c", {"y"}}, {"d", {}}},
       {"a", "b"},
       1,
       {"d"}},
      {"a group named twice is one group", {{"a", {"x", "x"}}, {"b", {"x"}}}, {}, 2, {"a", "b"}},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    std::vector<json> devices;
    for (const auto& [name, groups] : row.devices) devices.push_back(Grouped(name, groups));
    Case c = With(devices, {Claim("c", {Request("r", row.count)})});
    for (const char* name : row.allocated)
      c.allocated.push_back(Holding(std::string("x-") + name, name));
    const Outcome outcome = Solve(c);
    CHECK(outcome.devices == row.chosen);
    CHECK(outcome.fit == (row.chosen.empty() ? Fit::kNoFit : Fit::kFit));
  }
}

TEST_CASE("groups hold per counter set, of a device that takes of two in both") {
  const json both = {{"consumesCounters", {Takes("gpu-0", {"x"}), Takes("gpu-1", {"y"})}}};
  const json first = {{"consumesCounters", {Takes("gpu-0", {"y"})}}};
  const json second = {{"consumesCounters", {Takes("gpu-1", {"y"})}}};
  Case c = With({Device("both", json::object(), both), Device("first", json::object(), first),
                 Device("second", json::object(), second)},
                {Claim("c", {Request("r", 2)})});
  CHECK(Solve(c).devices == Names({"both", "second"}));
  c.claims = {Claim("c", {Request("r", 3)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  // Refused by the second set: the first one is as it was.
  c = With({Grouped("a", {"x"}), Device("both", json::object(), both),
            Device("s", json::object(), {{"consumesCounters", {Takes("gpu-1", {"z"})}}}),
            Grouped("b", {"x"})},
           {Claim("c", {Request("r", 3)})});
  c.allocated = {Holding("x", "s")};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
}

TEST_CASE("devices that cannot replace each other are told apart") {
  // Equal but for their groups: were they one class, the search would give up after "a".
  Case c = With({Grouped("a", {"x"}), Grouped("b", {"y"}), Grouped("c", {"y"})},
                {Claim("c", {Request("r"), Request("s")})});
  CHECK(Solve(c).devices == Names({"b", "c"}));
}

TEST_CASE("counters still run out, and refused counters give the groups back") {
  Case c = With({Grouped("a", {"x"}), Grouped("b", {"y"}), Grouped("c", {"y"})},
                {Claim("c", {Request("r", 2)})});
  c.slices[1]["spec"]["devices"][0]["consumesCounters"][0]["counters"]["memory"]["value"] = "9";
  CHECK(Solve(c).devices == Names({"b", "c"}));
}

TEST_CASE("a further share of a device asks for no groups") {
  const json shared = {{"allowMultipleAllocations", true}};
  Case c = With({Grouped("a", {"x"}, shared), Grouped("b", {"y"}, shared)},
                {Claim("c", {Request("r"), Request("s")})});
  CHECK(Solve(c).devices == Names({"a", "a"}));
  c.claims = {Claim("c", {Request("r", 2)})};  // one of each
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("allocated devices on other nodes count") {
  Case c = With({Grouped("a", {"y"})}, {Claim("c", {Request("r")})});
  for (json& slice : c.slices) slice["spec"]["pool"]["resourceSliceCount"] = 3;
  c.slices.push_back(Slice("2", {Grouped("there", {"x"})},
                           {{"nodeName", "node-2"}, {"pool", {{"resourceSliceCount", 3}}}}));
  CHECK(Solve(c).fit == Fit::kFit);
  c.allocated = {Holding("x", "there")};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("up to 1.36 there are no groups") {
  Case c = With({Grouped("a", {"x"}), Grouped("b", {"y"})}, {Claim("c", {Request("r", 2)})});
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k136);
  CHECK(Solve(c).fit == Fit::kFit);
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k137);
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("more groups than any server accepts are refused") {
  dra::ParseContext context;
  json slice = Slice("1", {Grouped("a", Groups(600, "x"))});
  const auto parsed = dra::ParseSlice(slice, context);
  REQUIRE_FALSE(parsed);
  CHECK_THAT(parsed.error().message, ContainsSubstring("compatibilityGroups"));
}

TEST_CASE("slices that differ in groups only are different") {
  dra::ParseContext context;
  dra::SnapshotBuilder builder{dra::AllocatorFeatures()};
  const auto set = [&](const Groups& groups) {
    return builder.SetSlice(dra::ParseSlice(Slice("1", {Grouped("a", groups)}), context).value());
  };
  CHECK(set({"x"}));
  CHECK_FALSE(set({"x"}));
  CHECK(set({"y"}));
}

Worker Parent(const std::vector<json>& devices) {
  Worker worker;
  worker.Node("n1").Parent("n1", "8", devices);
  return worker;
}

TEST_CASE("pods placed before count, and say so") {
  Worker worker = Parent({Grouped("a", {"x"}), Grouped("b", {"y"}), Grouped("c", {"x"})});
  worker.Template("one", {Request("r")});
  CHECK(worker.Pods(2, "one").verdict.outcome == verdict::Outcome::kYes);
  const auto judgement = worker.Pods(3, "one");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 2);
}

TEST_CASE("devices kept out by those in use are counted so") {
  Worker worker = Parent({Grouped("a", {"x"}), Grouped("b", {"y"})});
  worker.Add(Holding("x", "a", {{"pool", "n1"}}));
  worker.Template("one", {Request("r")});
  const auto judgement = worker.Pods(1, "one");
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK_THAT(First(judgement),
             ContainsSubstring("2 devices: 1 allocated (other/x), 1 of other compatibility groups "
                               "than those in use of counter set gpu-0"));
}

TEST_CASE("devices that only do not go together are named as such") {
  Worker worker = Parent({Grouped("a", {"x"}), Grouped("b", {"y"})});
  worker.Template("two", {Request("r", 2)});
  const auto judgement = worker.Pods(1, "two");
  CHECK(Code(judgement) == ReasonCode::kCountersExhausted);
  CHECK_THAT(First(judgement), ContainsSubstring("devices that share counters do not go together "
                                                 "on node n1: their compatibility groups differ"));
}

}  // namespace
}  // namespace fedra::test::compatibility_groups_test
