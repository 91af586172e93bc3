// Slices that skip node operations (gate DRAOptionalNodeOperations): allocateDevice of the
// experimental allocator, and Filter of dynamicresources.go, Kubernetes v1.37.2.

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::optional_operations_test {
namespace {

using dra::Fit;

const json kSkips = {{"skipNodeOperations", {"*"}}};
const json kDeclares = {{"status", {{"declaredFeatures", {"DRAOptionalNodeOperations"}}}}};

dra::AllocatorFeatures Newest() { return dra::FeaturesOf(cel::KubernetesRelease::k137); }

TEST_CASE("their devices are for nodes that declare the feature") {
  Worker worker(Newest());
  worker.Node("n1").On("n1", {Device("a")}, kSkips);
  worker.Template("one", {Request("r")});
  auto judgement = worker.Pods(1, "one");
  CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kNodeMismatch);
  worker.Node("n1", json::object(), kDeclares);
  CHECK(worker.Pods(1, "one").verdict.outcome == verdict::Outcome::kYes);
  worker.Node("n1", json::object(), {{"status", {{"declaredFeatures", {"Another"}}}}});
  CHECK(worker.Pods(1, "one").verdict.outcome == verdict::Outcome::kNo);
}

TEST_CASE("All counts them among its devices, and cannot take them") {
  Case c;
  c.features = Newest();
  const json two = {{"pool", {{"resourceSliceCount", 2}}}};
  json skips = kSkips;
  skips.update(two);
  c.slices = {Slice("1", {Device("a")}, two), Slice("2", {Device("b")}, skips)};
  c.claims = {Claim("c", {All("r")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Request("r", 1)})};
  CHECK(Solve(c).devices == Names({"a"}));
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.features = dra::FeaturesOf(cel::KubernetesRelease::k136);
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("a selector fails on them all the same") {
  Case c;
  c.features = Newest();
  c.slices = {Slice("1", {Device("a")}, kSkips)};
  c.claims = {
      Claim("c", {Request("r", 1, {{"selectors", Cel({"device.attributes['x'].y == 1"})}})})};
  CHECK(Solve(c).fit == Fit::kError);
}

TEST_CASE("a claim that is allocated to one keeps to such nodes") {
  json claim = Claim("shared", {Request("r")});
  json result = {{"request", "r"}, {"driver", kDriver}, {"pool", "all"}, {"device", "a"}};
  result["skipNodeOperations"] = {"*"};
  claim["status"]["allocation"] = {{"allocationTimestamp", "2026-11-21T16:00:00Z"},
                                   {"devices", {{"results", json::array({result})}}}};
  const char* const pod =
      R"({"spec": {"containers": [{}],
          "resourceClaims": [{"name": "dev", "resourceClaimName": "shared"}]}})";
  Worker worker(Newest());
  worker.Node("n1").Node("n2", json::object(), kDeclares).Add(claim);
  auto judgement = worker.Judge({worker.Parse(pod)});
  CHECK(judgement.verdict.outcome == verdict::Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n2"});
  worker.Node("n2");
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == verdict::Outcome::kNo);
}

TEST_CASE("pods that share a claim follow it to such nodes") {
  const json everywhere = {{"nodeName", nullptr},
                           {"allNodes", true},
                           {"skipNodeOperations", {"*"}},
                           {"pool", {{"name", "all"}}}};
  const char* const pod =
      R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}],
          "resourceClaims": [{"name": "dev", "resourceClaimName": "shared"}]}})";
  json declares = kDeclares;
  declares["status"]["allocatable"] = {{"cpu", "1"}, {"pods", "9"}};
  const json plain = {{"status", {{"allocatable", {{"cpu", "1"}, {"pods", "9"}}}}}};
  Worker worker(Newest());
  worker.Node("n1", json::object(), declares).Node("n2", json::object(), plain);
  worker.On("n1", {Device("a")}, everywhere).Add(Claim("shared", {Request("r")}));
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 1);
  worker.Node("n2", json::object(), declares);
  CHECK(worker.Judge({worker.Parse(pod, 2)}).verdict.pods_fitting == 2);
}

}  // namespace
}  // namespace fedra::test::optional_operations_test
