// matchAttribute and distinctAttribute.

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::constraints_test {
namespace {

using dra::Fit;

json Version(const char* text) { return {{"version", text}}; }

TEST_CASE("matchAttribute: the devices of all requests share one value") {
  Case c;
  c.slices = {
      Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}}), Device("c", {{"g", 2}})})};
  c.claims = {Claim("c", {Request("x"), Request("y")}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"b", "c"}));
  c.claims = {Claim("c", {Request("x", 2)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"b", "c"}));
  c.claims = {Claim("c", {Request("x", 3)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a constraint binds only the requests it names, an empty list names all") {
  Case c;
  c.slices = {
      Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}}), Device("c", {{"g", 2}})})};
  const std::vector<json> requests = {Request("x"), Request("y"), Request("z")};
  c.claims = {Claim("c", requests, {Match("gpu.example.com/g", {"y", "z"})})};
  CHECK(Solve(c).devices == Names({"a", "b", "c"}));
  c.claims = {Claim("c", requests, {Match("gpu.example.com/g", {"x", "z"})})};
  CHECK(Solve(c).devices == Names({"b", "a", "c"}));
}

TEST_CASE("a constraint names an alternative, or with the request all of its alternatives") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}})})};
  const std::vector<json> requests = {Request("x"),
                                      FirstAvailable("f", {Request("s"), Request("t")})};
  c.claims = {Claim("c", requests, {Match("gpu.example.com/g", {"x", "f"})})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", requests, {Match("gpu.example.com/g", {"x", "f/s"})})};
  CHECK(Solve(c).results.back() == "ml/c f/t gpu.example.com/node-1/b");
}

TEST_CASE("a missing attribute never matches, and kinds must be equal") {
  Case c;
  c.claims = {Claim("c", {Request("x", 2)}, {Match("gpu.example.com/g")})};
  const std::vector<std::pair<std::pair<json, json>, bool>> rows = {
      {{{{"g", 1}}, {{"g", 1}}}, true},
      {{{{"g", 1}}, {{"g", "1"}}}, false},
      {{{{"g", true}}, {{"g", true}}}, true},
      {{{{"g", true}}, {{"g", 1}}}, false},
      {{{{"g", "1.0.0"}}, {{"g", Version("1.0.0")}}}, false},
      {{{{"g", Version("1.0.0")}}, {{"g", Version("1.0.0")}}}, true},
      // versions are compared as text here
      {{{{"g", Version("1.0.0+a")}}, {{"g", Version("1.0.0+b")}}}, false},
      {{json::object(), json::object()}, false},
      {{{{"g", 1}}, json::object()}, false},
  };
  for (const auto& [attributes, expected] : rows) {
    INFO(attributes.first.dump() << " " << attributes.second.dump());
    c.slices = {Slice("1", {Device("a", attributes.first), Device("b", attributes.second)})};
    CHECK((Solve(c).fit == Fit::kFit) == expected);
  }
}

TEST_CASE("even a single device needs the attribute") {
  Case c;
  c.slices = {Slice("1", {Device("a"), Device("b", {{"g", 1}})})};
  c.claims = {Claim("c", {Request("x")}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"b"}));
}

TEST_CASE("a published qualified name is found by its full name, before the bare one") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"gpu.example.com/g", 1}}), Device("b", {{"g", 1}}),
                          Device("c", {{"resource.kubernetes.io/g", 1}})})};
  c.claims = {Claim("c", {Request("x", 2)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("x")}, {Match("resource.kubernetes.io/g")})};
  CHECK(Solve(c).devices == Names({"c"}));
}

TEST_CASE("constraints across drivers on one node: the devices must be aligned (S6)") {
  Case c;
  c.classes = {Class("gpu"), Class("nic", {R"(device.driver == "nic.example.com")"})};
  const char* root = "resource.kubernetes.io/pcieRoot";
  const json nic = {{"driver", "nic.example.com"}};
  const std::vector<json> requests = {Request("gpu"),
                                      Request("nic", 1, {{"deviceClassName", "nic"}})};
  c.claims = {Claim("c", requests, {Match(root)})};
  c.slices = {Slice("1", {Device("g0", {{root, "p0"}}), Device("g1", {{root, "p1"}})}),
              Slice("2", {Device("n1", {{root, "p1"}})}, nic)};
  CHECK(Solve(c).devices == Names({"g1", "n1"}));
  c.slices[1] = Slice("2", {Device("n2", {{root, "p2"}})}, nic);
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("distinctAttribute: all values differ; a missing one is refused, kinds are distinct") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 1}}), Device("none"),
                          Device("c", {{"g", "1"}}), Device("d", {{"g", 2}})})};
  c.claims = {Claim("c", {Request("x", 3)}, {Distinct("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"a", "c", "d"}));
  c.claims = {Claim("c", {Request("x", 4)}, {Distinct("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("up to 1.36 only the last value of a request is remembered") {
  Case c;
  c.slices = {
      Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 2}}), Device("c", {{"g", 1}})})};
  c.claims = {Claim("c", {Request("x", 3)}, {Distinct("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.features.distinct_forgets = true;
  CHECK(Solve(c).devices == Names({"a", "b", "c"}));
}

TEST_CASE("match wins when a constraint has both attributes") {
  Case c;
  c.slices = {Slice("1", {Device("a", {{"g", 1}}), Device("b", {{"g", 1}})})};
  json both = Match("gpu.example.com/g");
  both["distinctAttribute"] = "gpu.example.com/g";
  c.claims = {Claim("c", {Request("x", 2)}, {both})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("list attributes without their gate: good for the first device only") {
  Case c;
  c.classes = {Class("gpu", {})};  // a selector would fail on such a device
  const json list = {{"strings", {"x", "y"}}};
  c.slices = {Slice("1", {Device("a", {{"g", list}}), Device("b", {{"g", list}})})};
  c.claims = {Claim("c", {Request("x")}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("x", 2)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.features.list_attributes = true;
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("list attributes with their gate: a common value, or none in common") {
  Case c;
  c.features.list_attributes = true;
  c.classes = {Class("gpu", {})};
  const auto strings = [](const std::vector<std::string>& items) {
    return json{{"strings", items}};
  };
  c.slices = {Slice("1", {Device("a", {{"g", strings({"x", "y"})}}),
                          Device("b", {{"g", strings({"y", "z"})}}), Device("c", {{"g", "z"}})})};
  c.claims = {Claim("c", {Request("x", 2)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("x", 3)}, {Match("gpu.example.com/g")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("x", 2)}, {Distinct("gpu.example.com/g")})};
  CHECK(Solve(c).devices == Names({"a", "c"}));
}

}  // namespace
}  // namespace fedra::test::constraints_test
