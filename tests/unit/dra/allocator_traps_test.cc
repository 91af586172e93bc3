// Where Kubernetes' allocator does what its API does not lead one to expect, seen with the real
// library.

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::allocator_traps_test {
namespace {

using dra::Fit;

const json kBadSelector = {
    {"selectors", Cel({R"(device.attributes["gpu.example.com"].gone > 1)"})}};

TEST_CASE("a selector error is not 'no match': it ends the search with an error") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b")})};
  c.claims = {Claim("c", {Request("r", 1, kBadSelector)})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kError);
  CHECK_THAT(out.error,
             ContainsSubstring("request r of ResourceClaim ml/c: selector #0 of the request, "));
}

TEST_CASE("whether an erroring device is met depends on the order of the search") {
  Case c;
  const json wants = {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}};
  c.slices = {Slice("1", {Device("good", {{"model", "x"}}), Device("bad")})};
  c.claims = {Claim("c", {Request("r", 1, wants)})};
  SECTION("behind the match it is never evaluated") { CHECK(Solve(c).fit == Fit::kFit); }
  SECTION("in use it is not evaluated") {
    c.slices = {Slice("1", {Device("bad"), Device("good", {{"model", "x"}})})};
    c.allocated = {Holding("x", "bad")};
    CHECK(Solve(c).fit == Fit::kFit);
  }
  SECTION("a tainted one is evaluated") {
    const json taint = {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}};
    c.slices = {Slice("1", {Device("bad", {}, taint), Device("good", {{"model", "x"}})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("an earlier false selector keeps it from being evaluated") {
    c.slices = {Slice(
        "1", {Device("bad", {{"kind", "no"}}), Device("good", {{"kind", "yes"}, {"model", "x"}})})};
    c.classes = {Class("gpu", {R"(device.attributes["gpu.example.com"].kind == "yes")"})};
    CHECK(Solve(c).fit == Fit::kFit);
  }
  SECTION("a second device makes the search go on into it") {
    c.claims = {Claim("c", {Request("r", 2, wants)})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("even when there are fewer devices than asked for anyway") {
    c.slices = {Slice(
        "1", {Device("good", {{"model", "x"}}), Device("same", {{"model", "x"}}), Device("bad")})};
    c.claims = {Claim("c", {Request("r", 4, wants)})};
    CHECK(Solve(c).fit == Fit::kError);
  }
}

TEST_CASE("All evaluates every visible device, and foreign pools in trouble are fatal") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  c.claims = {Claim("c", {All("r")})};
  SECTION("a class selector without a driver test errors on foreign devices") {
    c.classes = {Class("gpu", {R"(device.attributes["gpu.example.com"].model == "x")"})};
    c.slices = {Slice("1", {Device("a", {{"model", "x"}})}),
                Slice("2", {Device("z")}, {{"driver", "z.example.com"}})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("an incomplete pool of another driver") {
    c.slices.push_back(Slice("2", {Device("z")},
                             {{"driver", "z.example.com"}, {"pool", {{"resourceSliceCount", 2}}}}));
    const Outcome out = Solve(c);
    CHECK(out.fit == Fit::kError);
    CHECK_THAT(out.error, ContainsSubstring("z.example.com/node-1 is currently being updated"));
    c.claims = {Claim("c", {Request("r")})};
    CHECK(Solve(c).fit == Fit::kFit);
  }
  SECTION("an invalid pool of another driver") {
    c.slices.push_back(Slice("2", {Device("z"), Device("z")}, {{"driver", "z.example.com"}}));
    CHECK_THAT(Solve(c).error, ContainsSubstring("is currently invalid"));
  }
}

TEST_CASE("a constraint that refuses a device of All is fatal, other refusals are not") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}})})};
  c.claims = {Claim("c", {All("r")}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kError);
  c.allocated = {Holding("x", "a")};  // refused for being in use before the constraint is asked
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a missing class, even of an alternative that is never needed") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  c.claims = {Claim(
      "c",
      {FirstAvailable("f", {Request("x"), Request("y", 1, {{"deviceClassName", "missing"}})})})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kError);
  CHECK_THAT(out.error, ContainsSubstring("could not retrieve device class missing"));
}

TEST_CASE("more than 32 devices are an error when certain, else another alternative") {
  Case c;
  c.slices = {Slice("1", Devices(40))};
  c.claims = {Claim("c", {Request("r", 33)})};
  CHECK(Solve(c).fit == Fit::kError);
  c.claims = {
      Claim("c", {Request("a", 20), FirstAvailable("f", {Request("x", 13), Request("y", 12)})})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kFit);
  CHECK(out.allocation.alternatives == std::vector<int>{1});
  c.claims = {Claim("c", {FirstAvailable("f", {Request("x", 33), Request("y", 32)})})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("one bad version poisons every selector on the device, even true") {
  Case c;
  c.classes = {Class("gpu", {"true"})};
  c.slices = {Slice("1", {Device("a", {{"fw", {{"version", "1.0"}}}})})};
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kError);
  c.classes = {Class("gpu", {})};  // nothing is evaluated
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("capacity names must be equal as written; constraint names are normalised") {
  Case c;
  c.slices = {
      Slice("1", {Device("a", {{"g", 1}}, {{"capacity", {{"memory", {{"value", "8Gi"}}}}}})})};
  const auto asks = [](const char* name) {
    return json{{"capacity", {{"requests", {{name, "4Gi"}}}}}};
  };
  c.claims = {Claim("c", {Request("r", 1, asks("memory"))})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("r", 1, asks("gpu.example.com/memory"))})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r")}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("r")}, {Match("other.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a capacity request on a device that is not shared is a filter") {
  Case c;
  const auto with = [](const char* size) {
    return json{{"capacity", {{"memory", {{"value", size}}}}}};
  };
  c.slices = {Slice("1", {Device("small", {}, with("8Gi")), Device("large", {}, with("80Gi"))})};
  c.claims = {Claim("c", {Request("r", 1, {{"capacity", {{"requests", {{"memory", "40Gi"}}}}}})})};
  CHECK(Solve(c).devices == Names({"large"}));
}

TEST_CASE("admin access minds only its own claim, but taints, counters and constraints") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b")})};
  c.allocated = {Holding("x", "a"), Holding("y", "b")};
  const json admin = {{"adminAccess", true}};
  c.claims = {Claim("c", {Request("r", 2, admin)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("r", 1, admin), Request("s", 1, admin), Request("t", 1, admin)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 1, admin)}), Claim("d", {Request("r", 1, admin)})};
  CHECK(Solve(c).devices == Names({"a", "a"}));
  SECTION("taints hold") {
    const json taint = {{"taints", {{{"key", "k"}, {"effect", "NoExecute"}}}}};
    c.slices = {Slice("1", {Device("a", {}, taint)})};
    c.claims = {Claim("c", {Request("r", 1, admin)})};
    CHECK(Solve(c).fit == Fit::kNoFit);
  }
}

TEST_CASE("a device taken with admin access is in use for later requests of the pod") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  const json admin = {{"adminAccess", true}};
  c.claims = {Claim("c", {Request("r", 1, admin)}), Claim("d", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r")}), Claim("d", {Request("r", 1, admin)})};
  CHECK(Solve(c).devices == Names({"a", "a"}));
}

TEST_CASE("unknown kinds each have their own effect") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  c.claims = {Claim("c", {Request("r")})};
  SECTION("node selection of a slice: the slice is skipped") {
    c.slices = {Slice("1", {Device("a")}, {{"nodeName", nullptr}})};
    CHECK(Solve(c).fit == Fit::kNoFit);
  }
  SECTION("selector: fatal") {
    c.claims = {Claim("c", {Request("r", 1, {{"selectors", {{{"future", 1}}}}})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("taint effect: ignored") {
    const json taint = {{"taints", {{{"key", "k"}, {"effect", "None"}}}}};
    c.slices = {Slice("1", {Device("a", {}, taint)})};
    CHECK(Solve(c).fit == Fit::kFit);
  }
  SECTION("attribute: an error when a selector is evaluated") {
    c.slices = {Slice("1", {Device("a", {{"x", {{"future", 1}}}})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("mode: fatal, and an empty one is not defaulted") {
    c.claims = {Claim("c", {Request("r", 1, {{"allocationMode", "Most"}})})};
    CHECK(Solve(c).fit == Fit::kError);
    c.claims = {Claim("c", {Request("r", 1, {{"allocationMode", ""}})})};
    CHECK_THAT(Solve(c).error, ContainsSubstring("unsupported count mode"));
  }
  SECTION("constraint: fatal") {
    c.claims = {Claim("c", {Request("r")}, {{{"requests", json::array()}}})};
    CHECK_THAT(Solve(c).error, ContainsSubstring("empty constraint"));
  }
}

TEST_CASE("tolerations are those of the request, NoExecute blocks like NoSchedule") {
  Case c;
  const auto tainted = [](const char* effect) {
    return json{{"taints", {{{"key", "k"}, {"value", "v"}, {"effect", effect}}}}};
  };
  const auto tolerates = [](const json& toleration) {
    return Claim("c", {Request("r", 1, {{"tolerations", {toleration}}})});
  };
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    c.slices = {Slice("1", {Device("a", {}, tainted(effect))})};
    c.claims = {Claim("c", {Request("r")})};
    CHECK(Solve(c).fit == Fit::kNoFit);
    const std::vector<std::pair<json, bool>> rows = {
        {{{"operator", "Exists"}}, true},
        {{{"key", "k"}, {"operator", "Exists"}}, true},
        {{{"key", "k"}, {"operator", "Equal"}, {"value", "v"}}, true},
        {{{"key", "k"}, {"value", "v"}}, true},           // an empty operator is Equal
        {{{"operator", "Equal"}, {"value", "v"}}, true},  // no key: every key
        {{{"key", "k"}, {"operator", "Equal"}, {"value", "w"}}, false},
        {{{"key", "other"}, {"operator", "Exists"}}, false},
        {{{"key", "k"}, {"operator", "Like"}}, false},
        {{{"operator", "Exists"}, {"effect", effect}}, true},
        {{{"operator", "Exists"}, {"effect", "None"}}, false},
    };
    for (const auto& [toleration, expected] : rows) {
      INFO(toleration.dump());
      c.claims = {tolerates(toleration)};
      CHECK((Solve(c).fit == Fit::kFit) == expected);
    }
  }
  c.features.device_taints = false;
  c.claims = {Claim("c", {Request("r")})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("DeviceTaintRules count only with their gate; a missing selector is none, or was all") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b")})};
  c.claims = {Claim("c", {Request("r")})};
  const json taint = {{"key", "k"}, {"effect", "NoSchedule"}};
  c.rules = {{{"metadata", {{"name", "rule"}}},
              {"spec", {{"deviceSelector", {{"device", "a"}}}, {"taint", taint}}}}};
  CHECK(Solve(c).devices == Names({"a"}));
  c.features.device_taint_rules = true;
  CHECK(Solve(c).devices == Names({"b"}));
  c.rules = {{{"metadata", {{"name", "rule"}}}, {"spec", {{"taint", taint}}}}};
  CHECK(Solve(c).devices == Names({"a"}));
  c.features.empty_rules_taint = true;
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a slice selector with two terms is an error, but only of a solution") {
  Case c;
  const json term = {{"matchExpressions", {{{"key", "zone"}, {"operator", "Exists"}}}}};
  const json selector = {{"nodeSelectorTerms", {term, term}}};
  c.labels = {{"zone", "a"}};
  c.slices = {Slice("1", {Device("a")}, {{"nodeName", nullptr}, {"nodeSelector", selector}})};
  c.claims = {Claim("c", {Request("r")})};
  const Outcome out = Solve(c);
  CHECK(out.fit == Fit::kError);
  CHECK_THAT(out.error, ContainsSubstring("with 2 terms"));
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a node selector that cannot be parsed fails everything that comes to the slice") {
  Case c;
  const json bad = {
      {"nodeSelectorTerms", {{{"matchExpressions", {{{"key", "zone"}, {"operator", "Like"}}}}}}}};
  c.slices = {
      Slice("1", {Device("a")}),
      Slice("2", {Device("b")}, {{"nodeName", nullptr}, {"nodeSelector", bad}, {"driver", "x"}})};
  CHECK(Solve(c).fit == Fit::kError);
}

TEST_CASE("features that are off: asking for them is fatal, publishing them is ignored") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  SECTION("admin access, even when false") {
    c.features.admin_access = false;
    c.claims = {Claim("c", {Request("r", 1, {{"adminAccess", false}})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("firstAvailable") {
    c.features.prioritized_list = false;
    c.claims = {Claim("c", {FirstAvailable("f", {Request("x")})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("capacity requests") {
    c.features.consumable_capacity = false;
    c.claims = {Claim("c", {Request("r", 1, {{"capacity", {{"requests", {{"m", "1"}}}}}})})};
    CHECK(Solve(c).fit == Fit::kError);
  }
  SECTION("distinctAttribute") {
    c.features.distinct_attribute = false;
    c.claims = {Claim("c", {Request("r")}, {Distinct("gpu.example.com/x")})};
    CHECK(Solve(c).fit == Fit::kError);
  }
}

}  // namespace
}  // namespace fedra::test::allocator_traps_test
