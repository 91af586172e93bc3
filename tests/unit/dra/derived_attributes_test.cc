// Derived attributes of requests (gate DRADerivedAttributes): lookupAttribute of the experimental
// allocator, Kubernetes v1.37.2.

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::derived_attributes_test {
namespace {

using dra::Fit;

const char* const kNuma = "derived/numa";
const char* const kIndex = "device.attributes['gpu.example.com'].numa";

json Derives(const std::string& expression, const std::string& name = kNuma) {
  return {{"derivedAttributes", {{{"name", name}, {"expression", expression}}}}};
}

Case Of(const std::vector<json>& devices, const std::vector<json>& claims) {
  Case c;
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k137);
  c.slices = {Slice("1", devices)};
  c.claims = claims;
  return c;
}

TEST_CASE("a derived attribute aligns devices that publish other ones") {
  const std::string of_gpu = kIndex;
  const std::string of_nic = "device.attributes['gpu.example.com'].socket == 'left' ? 0 : 1";
  const json gpus = Cel({"has(device.attributes['gpu.example.com'].numa)"});
  const json nics = Cel({"has(device.attributes['gpu.example.com'].socket)"});
  json gpu = Derives(of_gpu), nic = Derives(of_nic);
  gpu["selectors"] = gpus;
  nic["selectors"] = nics;
  Case c = Of({Device("gpu-0", {{"numa", 0}}), Device("gpu-1", {{"numa", 1}}),
               Device("nic-1", {{"socket", "right"}})},
              {Claim("c", {Request("gpu", 1, gpu), Request("nic", 1, nic)}, {Match(kNuma)})});
  CHECK(Solve(c).devices == Names({"gpu-1", "nic-1"}));
  c.claims = {Claim("c", {Request("gpu", 2, gpu), Request("nic", 1, nic)}, {Match(kNuma)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("it shadows what devices publish, in requests that define it") {
  // Published g is 1 and 2; derived it is always 7.
  const std::vector<json> devices = {Device("a", {{"g", 1}}), Device("b", {{"g", 2}})};
  const std::string g = "gpu.example.com/g";
  const json seven = Derives("7", g);
  Case c = Of(devices, {Claim("c", {Request("r", 2)}, {Match(g)})});
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 2, seven)}, {Match(g)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("r", 2, seven)}, {Distinct(g)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 1, seven), Request("s")}, {Distinct(g)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("r", 1, Derives("2", g)), Request("s")}, {Match(g)})};
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.claims = {Claim("c", {Request("r", 1, Derives("2", g)), Request("s")}, {Distinct(g)})};
  CHECK(Solve(c).devices == Names({"b", "a"}));
}

TEST_CASE("names are compared as written: there is no bare form") {
  Case c = Of({Device("a", {{"g", 1}}), Device("b", {{"g", 2}})},
              {Claim("c", {Request("r", 2, Derives("7", "g"))}, {Match("gpu.example.com/g")})});
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("kinds are told apart: text is no version") {
  const std::vector<json> devices = {Device("a"), Device("b")};
  const auto solve = [&](const char* x, const char* y) {
    return Solve(Of(devices, {Claim("c", {Request("x", 1, Derives(x)), Request("y", 1, Derives(y))},
                                    {Match(kNuma)})}))
        .fit;
  };
  CHECK(solve("'1.0.0'", "'1.0.0'") == Fit::kFit);
  CHECK(solve("semver('1.0.0')", "semver('v1', true)") == Fit::kFit);
  CHECK(solve("'1.0.0'", "semver('1.0.0')") == Fit::kNoFit);
  CHECK(solve("1", "'1'") == Fit::kNoFit);
  CHECK(solve("true", "1 == 1") == Fit::kFit);
}

TEST_CASE("lists match by a common value; without the gate for them they serve one device") {
  const json derives = Derives("[device.attributes['gpu.example.com'].n, dyn(9)]");
  Case c = Of({Device("a", {{"n", 1}}), Device("b", {{"n", 2}})},
              {Claim("c", {Request("r", 2, derives)}, {Match(kNuma)})});
  CHECK(Solve(c).devices == Names({"a", "b"}));
  c.features.list_attributes = false;
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 1, derives)}, {Match(kNuma)})};
  CHECK(Solve(c).devices == Names({"a"}));
}

TEST_CASE("a list and a scalar match by a common value, whichever comes first") {
  const json list = Derives("[1, 2]"), scalar = Derives("2"), other = Derives("[3]");
  const auto solve = [](const json& x, const json& y) {
    return Solve(Of({Device("a"), Device("b")},
                    {Claim("c", {Request("x", 1, x), Request("y", 1, y)}, {Match(kNuma)})}))
        .fit;
  };
  CHECK(solve(list, scalar) == Fit::kFit);
  CHECK(solve(scalar, list) == Fit::kFit);
  CHECK(solve(scalar, other) == Fit::kNoFit);
  CHECK(solve(list, other) == Fit::kNoFit);
  CHECK(solve(list, Derives("['1']")) == Fit::kNoFit);
}

TEST_CASE("alternatives derive for themselves") {
  const json first = Request("big", 1, Derives("device.attributes['gpu.example.com'].numa + 10"));
  const json second = Request("small", 1, Derives(kIndex));
  Case c = Of({Device("a", {{"numa", 0}}), Device("b", {{"numa", 0}})},
              {Claim("c", {FirstAvailable("r", {first, second}), Request("s", 1, Derives(kIndex))},
                     {Match(kNuma)})});
  const Outcome outcome = Solve(c);
  CHECK(outcome.devices == Names({"a", "b"}));
  CHECK(outcome.allocation.alternatives == std::vector<int>{1});
}

TEST_CASE("an error ends the attempt when the search comes to it") {
  const json derives = Derives(kIndex);
  const std::vector<json> requests = {Request("r", 1, derives)};
  Case c = Of({Device("a", {{"numa", 0}}), Device("b")}, {Claim("c", requests, {Match(kNuma)})});
  CHECK(Solve(c).devices == Names({"a"}));
  c.claims = {Claim("c", {Request("r", 2, derives)}, {Match(kNuma)})};
  const Outcome outcome = Solve(c);
  CHECK(outcome.fit == Fit::kError);
  CHECK(outcome.error ==
        "request r of ResourceClaim ml/c: derived attribute derived/numa, " + std::string(kIndex) +
            ", fails on device gpu.example.com/node-1/b: CEL runtime error: no such key: numa");
  // Not when the constraint does not concern the request, the device is refused before, or no
  // asks for it.
  c.claims = {Claim("c", {Request("r", 2, derives), Request("s", 0)}, {Match(kNuma, {"s"})})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("r", 2, derives)}, {Match(kNuma)})};
  c.allocated = {Holding("x", "b")};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.allocated.clear();
  json fussy = derives;
  fussy["selectors"] = Cel({"has(device.attributes['gpu.example.com'].numa)"});
  c.claims = {Claim("c", {Request("r", 2, fussy)}, {Match(kNuma)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("an error behind devices that would be left out is come to") {
  // Four devices agree on nothing; without the error the search would give up after counting.
  std::vector<json> devices;
  for (int i = 0; i < 4; ++i) devices.push_back(Device("d" + std::to_string(i), {{"numa", i}}));
  devices.push_back(Device("z"));
  const Case c = Of(devices, {Claim("c", {Request("r", 4, Derives(kIndex))}, {Match(kNuma)})});
  CHECK(Solve(c).fit == Fit::kError);
}

TEST_CASE("an expression that does not compile is an error at the first device") {
  Case c = Of({Device("a")}, {Claim("c", {Request("r", 1, Derives("1u"))}, {Match(kNuma)})});
  const Outcome outcome = Solve(c);
  CHECK(outcome.fit == Fit::kError);
  CHECK_THAT(outcome.error, ContainsSubstring("derived attribute derived/numa does not compile: "
                                              "CEL compile error: "));
  c.slices = {Slice("1", {})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("All takes a device for which it cannot be derived as an error") {
  const Case c = Of({Device("a", {{"numa", 0}}), Device("b")},
                    {Claim("c", {All("r", Derives(kIndex))}, {Match(kNuma)})});
  CHECK_THAT(Solve(c).error, ContainsSubstring("fails on device gpu.example.com/node-1/b"));
}

TEST_CASE("up to 1.36 no server keeps them") {
  Case c =
      Of({Device("a"), Device("b")}, {Claim("c", {Request("r", 2, Derives("7"))}, {Match(kNuma)})});
  CHECK(Solve(c).fit == Fit::kFit);
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k136);
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("templates have them, and their errors are the verdict") {
  Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k137));
  worker.Node("n1").On("n1", {Device("a", {{"numa", 0}}), Device("b", {{"numa", 0}})});
  worker.Node("n2").On("n2", {Device("c", {{"numa", 0}}), Device("d")});
  worker.Template("t", {Request("r", 2, Derives(kIndex))}, {Match(kNuma)});
  auto judgement = worker.Pods(1, "t");
  CHECK(judgement.verdict.outcome != verdict::Outcome::kYes);
  CHECK(Code(judgement) == ReasonCode::kSelectorError);
  CHECK_THAT(First(judgement), ContainsSubstring("fails on device gpu.example.com/n2/d"));
  worker.On("n2", {});  // a second slice: the pool of n2 is no more complete
  Worker healthy(dra::FeaturesOf(cel::KubernetesRelease::k137));
  healthy.Node("n1").On("n1", {Device("a", {{"numa", 0}}), Device("b", {{"numa", 1}})});
  healthy.Template("t", {Request("r", 2, Derives(kIndex))}, {Match(kNuma)});
  judgement = healthy.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kConstraintUnsatisfied);
  CHECK_THAT(First(judgement), ContainsSubstring("matchAttribute derived/numa"));
}

}  // namespace
}  // namespace fedra::test::derived_attributes_test
