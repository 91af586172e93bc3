// Up to 1.35 the scheduler looks at pools and slices in an order that is chance. Where the outcome
// depends on it the verdict is Unknown.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::pool_order_test {
namespace {

using verdict::Outcome;

const json kNeedsModel = {
    {"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "x")"})}};

json InPool(const char* pool) { return {{"pool", {{"name", pool}}}}; }

bool IsDoubt(const dra::Judgement& judgement) {
  if (judgement.verdict.outcome != Outcome::kUnknown) return false;
  const auto* doubt = std::get_if<verdict::ReleaseDoubt>(&judgement.verdict.reasons.at(0).facts);
  return doubt != nullptr && doubt->kind == verdict::ReleaseDoubt::Kind::kOrder;
}

TEST_CASE("a selector that fails in one of two pools: first there is a device, or an error") {
  for (const char* version : {"1.34", "1.35", "1.36"}) {
    for (const bool bad_first : {false, true}) {
      INFO(version << (bad_first ? ", the bad pool first" : ""));
      Worker worker(*dra::FeaturesOf(version));
      worker.Node("n1")
          .On("n1", {Device("good", {{"model", "x"}})}, InPool(bad_first ? "2" : "1"))
          .On("n1", {Device("bad")}, InPool(bad_first ? "1" : "2"))
          .Template("t", {Request("r", 1, kNeedsModel)});
      const auto judgement = worker.Pods(1, "t");
      if (std::string(version) == "1.36")
        CHECK(judgement.verdict.outcome == (bad_first ? Outcome::kNo : Outcome::kYes));
      else
        CHECK(IsDoubt(judgement));
    }
  }
}

TEST_CASE("slices of one pool come in any order, too") {
  const json two = {{"pool", {{"resourceSliceCount", 2}}}};
  Worker worker(*dra::FeaturesOf("1.35"));
  worker.Node("n1")
      .On("n1", {Device("good", {{"model", "x"}})}, two)
      .On("n1", {Device("bad")}, two)
      .Template("t", {Request("r", 1, kNeedsModel)});
  CHECK(IsDoubt(worker.Pods(1, "t")));
}

TEST_CASE("what one pod takes by chance may be what another would need") {
  // The first takes a or b, the second needs a.
  const json model_a = {{"selectors", Cel({R"(device.attributes["gpu.example.com"].m == "a")"})}};
  for (const char* version : {"1.35", "1.36"}) {
    INFO(version);
    Worker worker(*dra::FeaturesOf(version));
    worker.Node("n1")
        .On("n1", {Device("a", {{"m", "a"}})}, InPool("2"))
        .On("n1", {Device("b", {{"m", "b"}})}, InPool("1"))
        .Template("any", {Request("r")})
        .Template("only-a", {Request("r", 1, model_a)});
    const auto pods = [](const char* name, const char* claim_template) {
      dra::PodDemand demand;
      demand.name = name;
      demand.claims = {{.pod_claim = "d", .template_name = claim_template, .claim_name = ""}};
      return demand;
    };
    const auto judgement = worker.Judge({pods("first", "any"), pods("second", "only-a")});
    CHECK(IsDoubt(judgement) == (std::string(version) == "1.35"));
    if (std::string(version) == "1.36") CHECK(judgement.verdict.outcome == Outcome::kYes);
  }
}

TEST_CASE("equal pools leave no doubt, in whatever order they come") {
  Worker worker(*dra::FeaturesOf("1.34"));
  worker.Node("n1").Node("n2");
  for (const char* node : {"n1", "n2"})
    for (const char* pool : {"1", "2", "3"})
      worker.On(node, Devices(2), InPool((std::string(node) + pool).c_str()));
  worker.Template("two", {Request("r", 2)});
  CHECK(worker.Pods(6, "two").verdict.outcome == Outcome::kYes);
  CHECK(worker.Pods(7, "two").verdict.outcome == Outcome::kNo);
}

// ---- random pools against every order, asked one by one

struct Pools {
  std::vector<json> slices;
  std::vector<json> requests, constraints;
};

Pools RandomPools(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Pools pools;
  const int count = 1 + pick(3);
  for (int pool = 0; pool < count; ++pool) {
    std::vector<json> devices;
    for (int i = 1 + pick(2); i > 0; --i) {
      json attributes = {{"n", pick(2)}};
      if (pick(5) > 0) attributes["model"] = pick(2) == 0 ? "x" : "y";
      devices.push_back(Device("d" + std::to_string(pool) + std::to_string(i), attributes));
    }
    const json in_pool = {{"pool", {{"name", std::to_string(pool)}}}};
    pools.slices.push_back(Slice("s" + std::to_string(pool), devices, in_pool));
  }
  const auto request = [&](const std::string& name) {
    const json more = pick(3) > 0 ? kNeedsModel : json::object();
    return pick(5) == 0 ? All(name, more) : Request(name, 1 + pick(2), more);
  };
  for (int i = 1 + pick(2); i > 0; --i) {
    const std::string name = "r" + std::to_string(i);
    if (pick(4) == 0)
      pools.requests.push_back(FirstAvailable(name, {request("first"), request("second")}));
    else
      pools.requests.push_back(request(name));
  }
  if (pick(3) == 0) pools.constraints = {Match("gpu.example.com/n")};
  return pools;
}

TEST_CASE("random pools: Yes where every order fits, No where none does, else Unknown") {
  std::mt19937 random(18);
  int yes = 0, no = 0, unknown = 0;
  for (int i = 0; i < 3000; ++i) {
    const Pools pools = RandomPools(random);
    for (const char* version : {"1.34", "1.35"}) {
      const json claim = Claim("t", pools.requests, pools.constraints);
      Case one{.slices = pools.slices, .claims = {claim}};
      const auto features = *dra::FeaturesOf(version);
      dra::ParseContext context;
      const auto parsed = *ReadDraCase(one.ToJson(), context, &features);
      dra::SelectorCache selectors;
      std::set<bool> fits;
      for (const DraAnswer& answer : SolveInOrders(parsed, selectors, {}, true))
        fits.insert(answer.allocation.fit == dra::Fit::kFit);

      Worker worker(features);
      worker.Node("node-1").Slices(pools.slices).Template("t", pools.requests, pools.constraints);
      const auto judgement = worker.Pods(1, "t");
      INFO("case " << i << " on " << version << ": " << one.ToJson().dump());
      if (fits.size() > 1) {
        ++unknown;
        REQUIRE(IsDoubt(judgement));
      } else {
        ++(*fits.begin() ? yes : no);
        REQUIRE(judgement.verdict.outcome == (*fits.begin() ? Outcome::kYes : Outcome::kNo));
      }
    }
  }
  CHECK(std::min({yes, no, unknown}) > 100);
}

}  // namespace
}  // namespace fedra::test::pool_order_test
