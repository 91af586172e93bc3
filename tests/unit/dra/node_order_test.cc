// On which nodes pods are placed: as kube-scheduler's scores prefer them. Rows by hand, and random
// jobs against a naive model that scores every node for every pod.

#include "dra/judge/node_order.h"

#include <random>
#include <set>

#include "tests/support/histories.h"
#include "tests/unit/dra/scored_jobs.h"

namespace fedra::test::node_order_test {
namespace {

using namespace scored_jobs;
using verdict::Outcome;

TEST_CASE("pods of a job go to the emptiest nodes first") {
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b", "c"})
    worker.Node(name, {}, Allocatable(8, 8)).On(name, Devices(4));
  CHECK(worker.Judge({worker.Parse(PodOf(1, 1).c_str(), 4)}).pod_sets[0].nodes ==
        Names({"a", "b", "c", "a"}));
}

TEST_CASE("small pods leave room for large ones, which come later") {
  // Packed on the first nodes, the small ones would leave room for five large ones.
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b", "c"})
    worker.Node(name, {}, Allocatable(64, 7)).On(name, Devices(4));
  const auto judgement =
      worker.Judge({worker.Parse(PodOf(1, 1).c_str(), 3), worker.Parse(PodOf(1, 3).c_str(), 6)});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.pod_sets[1].nodes == Names({"a", "b", "c", "a", "b", "c"}));
}

TEST_CASE("what runs on nodes counts, with what its containers did not ask for") {
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b"}) worker.Node(name, {}, Allocatable(8, 8)).On(name, Devices(4));
  const auto place = [&](const char* resource) {
    const auto used = Used({{Symbol("a"), {{Symbol(resource), *Quantity::Parse("4")}}}});
    return worker.Judge({worker.Parse(PodOf(1, 1).c_str())}, {.used = used}).pod_sets[0].nodes;
  };
  CHECK(place("cpu") == Names({"b"}));
  CHECK(place("unrequested:cpu") == Names({"b"}));
  CHECK(place("example.com/other") == Names({"a"}));
}

TEST_CASE("a taint of PreferNoSchedule is avoided as long as another node has room") {
  Worker worker;
  worker.Template("t", {Request("r")});
  json avoided = Allocatable(8, 8);
  avoided["spec"]["taints"] = json::array({Taint("slow", "PreferNoSchedule")});
  worker.Node("a", {}, avoided).On("a", Devices(2));
  worker.Node("b", {}, Allocatable(8, 8)).On("b", Devices(2));
  const std::string pod = PodOf(1, 1);
  CHECK(worker.Judge({worker.Parse(pod.c_str(), 3)}).pod_sets[0].nodes == Names({"b", "b", "a"}));
  json tolerant = json::parse(pod);
  tolerant["spec"]["tolerations"] = {{{"key", "slow"}, {"operator", "Exists"}}};
  CHECK(worker.Judge({worker.Parse(tolerant.dump().c_str(), 3)}).pod_sets[0].nodes ==
        Names({"a", "b", "a"}));
}

TEST_CASE("devices that a claim has already count beside those to choose") {
  // Of the devices a has the second alternative, and b the first; otherwise a is 20 better. With
  // those of the other claim that is 15 of 16, so 14 less; without, 7 of 8, which would be 26.
  const auto worker_with = [](bool allocated) {
    Worker worker;
    const std::vector<json> choice = {
        FirstAvailable("r", {RequestOfKind("a", "new"), RequestOfKind("b", "old")})};
    worker.Template("t", choice);
    for (const auto& [name, kind] : {std::pair("a", "old"), {"b", "new"}})
      worker.Node(name, json::object(), Allocatable(10, 10))
          .On(name, {Device("d", {{"kind", kind}})});
    json claim = Claim("shared", choice);
    claim["status"] = {{"reservedFor", {{{"resource", "pods"}, {"name", "other"}, {"uid", "u1"}}}},
                       {"allocation",
                        {{"allocationTimestamp", "2026-01-01T00:00:00Z"},
                         {"devices",
                          {{"results",
                            {{{"request", "r/a"},
                              {"driver", "gpu.example.com"},
                              {"pool", "net"},
                              {"device", "d"}}}}}}}}};
    if (allocated) worker.Add(claim);
    return worker;
  };
  json pod = json::parse(PodOf(1, 1));
  const auto used =
      Used({{Symbol("b"),
             {{Symbol("cpu"), Quantity(2)}, {Symbol("memory"), Quantity(int64_t{2} << 30)}}}});
  Worker alone = worker_with(false);
  CHECK(alone.Judge({alone.Parse(pod.dump().c_str())}, {.used = used}).pod_sets[0].nodes ==
        Names({"b"}));
  pod["spec"]["resourceClaims"].push_back({{"name", "s"}, {"resourceClaimName", "shared"}});
  Worker together = worker_with(true);
  CHECK(together.Judge({together.Parse(pod.dump().c_str())}, {.used = used}).pod_sets[0].nodes ==
        Names({"a"}));
}

TEST_CASE("ranks are found anew where nodes, what runs on them or the pod differ") {
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b"}) worker.Node(name, {}, Allocatable(8, 8)).On(name, Devices(4));
  const auto full = [](const char* node) {
    return Used({{Symbol(node), {{Symbol("cpu"), Quantity(4)}}}});
  };
  const auto pod = worker.Parse(PodOf(1, 1).c_str());
  const auto place = [&](std::shared_ptr<const dra::NodeUse> used) {
    return worker.Judge({pod}, {.used = std::move(used)}).pod_sets[0].nodes;
  };
  CHECK(place(full("a")) == Names({"b"}));
  CHECK(place(full("b")) == Names({"a"}));
  CHECK(place(nullptr) == Names({"a"}));
  worker.Node("b", {}, Allocatable(16, 16));
  CHECK(place(nullptr) == Names({"b"}));
}

TEST_CASE("when there is no time to compare nodes, those that took a pod come first") {
  dra::ParseContext context;
  std::vector<dra::Node> nodes;
  for (const char* name : {"a", "b", "c"}) {
    json node = Allocatable(8, 8);
    node["metadata"]["name"] = name;
    nodes.push_back(dra::ParseNode(node, context).value());
  }
  const std::vector<const dra::Node*> all = {&nodes[0], &nodes[1], &nodes[2]};
  const dra::PodDemand demand;
  const dra::PlacedPods placed;
  const dra::JudgeOptions options;
  const dra::AllocatorFeatures features;
  dra::NodeOrder order({.nodes = all,
                        .ranks = std::make_shared<const dra::NodeRanks>(
                            dra::RankNodes(all, {}, dra::LoadOf(demand), nullptr, true)),
                        .demand = demand,
                        .placed = placed,
                        .options = options,
                        .features = features,
                        .best_devices = 8});
  const auto a = order.Next();
  REQUIRE(a);
  CHECK(a->position == 0);
  CHECK_FALSE(order.IsBest(*a, 7));  // another one may have 8
  order.Keep(*a, 7);
  order.StopAsking();
  CHECK(order.Next() == a);
  CHECK(order.IsBest(*a, 7));
  order.PutBack(0);
  CHECK(order.Next() == a);
  // It takes no more.
  const auto b = order.Next();
  REQUIRE(b);
  CHECK(b->position == 1);
  CHECK(order.IsBest(*b, 0));
  CHECK(order.Next()->position == 2);
  CHECK_FALSE(order.Next());
}

TEST_CASE("a device that several nodes reach makes one of them better, once") {
  // The new device reaches both nodes.
  Worker worker;
  worker.Template("t",
                  {FirstAvailable("r", {RequestOfKind("a", "new"), RequestOfKind("b", "old")})});
  for (const char* name : {"a", "b"})
    worker.Node(name, json::object(), Allocatable(8, 8))
        .On(name, {Device("d", {{"kind", "old"}}), Device("e", {{"kind", "old"}})});
  worker.On("net", {Device("n", {{"kind", "new"}})},
            {{"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "net"}}}});
  const auto judgement = worker.Judge({worker.Parse(PodOf(1, 1).c_str(), 3)});
  CHECK(judgement.pod_sets[0].nodes == Names({"a", "b", "a"}));
  CHECK(judgement.pod_sets[0].alternatives.front().index == 1);
}

TEST_CASE("random jobs go where a model that scores every node for every pod puts them") {
  using enum cel::KubernetesRelease;
  std::mt19937 random(20261130);
  int pods_placed = 0, moved = 0;
  for (unsigned n = 0; n < Histories(600); ++n) {
    const auto features = dra::FeaturesOf(std::array{k134, k135, k136, k137}[n % 4]);
    const RandomJob job = Random(random);
    INFO("job " << n << ", release " << cel::ToString(features.release));
    Worker worker = WorkerOf(job, features);
    const std::vector<dra::PodDemand> demands = DemandsOf(job, worker);
    const auto judgement = worker.Judge(demands, {.used = UsedOf(job)});
    std::vector<Place> places = job.places;
    for (size_t set = 0; set < job.sets.size(); ++set) {
      INFO("pod set " << set);
      const std::vector<std::string> expected = PlacedByModel(job.sets[set], features, places);
      CHECK(judgement.pod_sets[set].nodes == expected);
      pods_placed += static_cast<int>(expected.size());
      moved += static_cast<int>(std::set(expected.begin(), expected.end()).size()) - 1;
    }
  }
  CHECK(pods_placed > static_cast<int>(Histories(600)));
  CHECK(moved > static_cast<int>(Histories(600)) / 2);
}

}  // namespace
}  // namespace fedra::test::node_order_test
