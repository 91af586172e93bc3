// On which nodes pods are placed: as kube-scheduler's scores prefer them. Rows by hand, and random
// jobs against a naive model that scores every node for every pod.

#include "dra/judge/node_order.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/histories.h"
#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::node_order_test {
namespace {

using verdict::Outcome;
using Names = std::vector<std::string>;

json Allocatable(int cpu, int memory) {
  return {{"status",
           {{"allocatable",
             {{"cpu", std::to_string(cpu)}, {"memory", std::to_string(memory) + "Gi"}}}}}};
}

json Taint(const char* key, const char* effect) { return {{"key", key}, {"effect", effect}}; }

std::string PodOf(int cpu, int memory) {
  return R"({"spec": {"containers": [{"resources": {"requests": {"cpu": ")" + std::to_string(cpu) +
         R"(", "memory": ")" + std::to_string(memory) +
         R"(Gi"}}}], "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})";
}

TEST_CASE("pods of a job go to the emptiest nodes first") {
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b", "c"})
    worker.Node(name, {}, Allocatable(8, 8)).On(name, Devices(4));
  CHECK(worker.Judge({worker.Parse(PodOf(1, 1).c_str(), 4)}).pod_sets[0].nodes ==
        Names{"a", "b", "c", "a"});
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
  CHECK(judgement.pod_sets[1].nodes == Names{"a", "b", "c", "a", "b", "c"});
}

TEST_CASE("what runs on nodes counts, with what its containers did not ask for") {
  Worker worker;
  worker.Template("t", {Request("r")});
  for (const char* name : {"a", "b"}) worker.Node(name, {}, Allocatable(8, 8)).On(name, Devices(4));
  const auto place = [&](const char* resource) {
    const auto used = Used({{Symbol("a"), {{Symbol(resource), *Quantity::Parse("4")}}}});
    return worker.Judge({worker.Parse(PodOf(1, 1).c_str())}, {.used = used}).pod_sets[0].nodes;
  };
  CHECK(place("cpu") == Names{"b"});
  CHECK(place("unrequested:cpu") == Names{"b"});
  CHECK(place("example.com/other") == Names{"a"});
}

TEST_CASE("a taint of PreferNoSchedule is avoided as long as another node has room") {
  Worker worker;
  worker.Template("t", {Request("r")});
  json avoided = Allocatable(8, 8);
  avoided["spec"]["taints"] = json::array({Taint("slow", "PreferNoSchedule")});
  worker.Node("a", {}, avoided).On("a", Devices(2));
  worker.Node("b", {}, Allocatable(8, 8)).On("b", Devices(2));
  const std::string pod = PodOf(1, 1);
  CHECK(worker.Judge({worker.Parse(pod.c_str(), 3)}).pod_sets[0].nodes == Names{"b", "b", "a"});
  json tolerant = json::parse(pod);
  tolerant["spec"]["tolerations"] = {{{"key", "slow"}, {"operator", "Exists"}}};
  CHECK(worker.Judge({worker.Parse(tolerant.dump().c_str(), 3)}).pod_sets[0].nodes ==
        Names{"a", "b", "a"});
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
        Names{"b"});
  pod["spec"]["resourceClaims"].push_back({{"name", "s"}, {"resourceClaimName", "shared"}});
  Worker together = worker_with(true);
  CHECK(together.Judge({together.Parse(pod.dump().c_str())}, {.used = used}).pod_sets[0].nodes ==
        Names{"a"});
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
  CHECK(place(full("a")) == Names{"b"});
  CHECK(place(full("b")) == Names{"a"});
  CHECK(place(nullptr) == Names{"a"});
  worker.Node("b", {}, Allocatable(16, 16));
  CHECK(place(nullptr) == Names{"b"});
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
  CHECK(judgement.pod_sets[0].nodes == Names{"a", "b", "a"});
  CHECK(judgement.pod_sets[0].alternatives.front().index == 1);
}

// ---- random jobs

enum Kind : size_t { kNew, kOld };

struct Place {
  std::array<int64_t, 2> all{}, taken{};  // cpu in thousandths, memory in bytes
  int unasked = 0;                        // cpu that running pods did not ask for, in thousandths
  std::array<int, 2> devices{};           // free, by kind
  int taints = 0;
};

struct Pods {
  int cpu = 0, memory = 0, count = 0;
  bool chooses = false;  // a new device, or else an old one; else an old one
};

// Device kinds by the first alternative that a pod gets on a node; nothing: it does not fit.
std::optional<Kind> Fits(const Place& place, const Pods& pods) {
  if (place.taken[0] + pods.cpu * 1000 > place.all[0]) return std::nullopt;
  if (place.taken[1] + (int64_t{pods.memory} << 30) > place.all[1]) return std::nullopt;
  if (pods.chooses && place.devices[kNew] > 0) return kNew;
  if (place.devices[kOld] > 0) return kOld;
  return std::nullopt;
}

double Uneven(const Place& place, std::array<int64_t, 2> more) {
  const auto share = [&](size_t i) {
    return double(place.taken[i] + more[i]) / double(place.all[i]);
  };
  return std::fabs(share(0) - share(1)) / 2;
}

// The sum of the plugins, plugin after plugin, over the nodes that fit.
std::optional<size_t> BestOf(const std::vector<Place>& places, const Pods& pods,
                             const dra::AllocatorFeatures& features) {
  const std::array<int64_t, 2> more{pods.cpu * 1000, int64_t{pods.memory} << 30};
  int64_t most_devices = 0, most_taints = 0;
  for (const Place& place : places) {
    const auto kind = Fits(place, pods);
    if (!kind) continue;
    most_taints = std::max<int64_t>(most_taints, place.taints);
    if (pods.chooses) most_devices = std::max<int64_t>(most_devices, *kind == kNew ? 8 : 7);
  }
  std::optional<size_t> best;
  int64_t best_score = -1;
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const auto kind = Fits(place, pods);
    if (!kind) continue;
    int64_t score = 0;
    for (size_t r = 0; r < 2; ++r) {
      const int64_t free = place.all[r] - place.taken[r] - more[r] - (r == 0 ? place.unasked : 0);
      score += std::max<int64_t>(free, 0) * 100 / place.all[r];
    }
    score /= 2;
    const auto with = static_cast<int64_t>((1 - Uneven(place, more)) * 100);
    const auto without = static_cast<int64_t>((1 - Uneven(place, {})) * 100);
    score += features.scores_change_of_balance ? 50 + (50 + with - without) / 2 : with;
    if (features.scores_devices && most_devices > 0)
      score += 2 * ((*kind == kNew ? 8 : 7) * 100 / most_devices);
    score += 3 * (100 - (most_taints > 0 ? place.taints * 100 / most_taints : 0));
    if (score <= best_score) continue;
    best = i;
    best_score = score;
  }
  return best;
}

struct RandomJob {
  std::vector<Place> places;
  std::vector<Pods> sets;
};

RandomJob Random(std::mt19937& random) {
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  RandomJob job;
  for (int i = pick(1, 6); i > 0; --i)
    job.places.push_back({.all = {pick(2, 9) * 1000, int64_t{pick(4, 12)} << 30},
                          .devices = {pick(0, 2), pick(0, 3)},
                          .taints = pick(0, 3) == 0 ? 1 : 0});
  for (Place& place : job.places) {
    if (pick(0, 1) == 0) continue;
    place.taken = {pick(0, 2) * 500, int64_t{pick(0, 2)} << 30};
    place.unasked = pick(0, 3) * 100;
  }
  for (int i = pick(1, 3); i > 0; --i)
    job.sets.push_back(
        {.cpu = pick(1, 3), .memory = pick(1, 4), .count = pick(1, 6), .chooses = pick(0, 1) == 1});
  return job;
}

Names PlacedByModel(const Pods& pods, const dra::AllocatorFeatures& features,
                    std::vector<Place>& places) {
  Names nodes;
  for (int i = 0; i < pods.count; ++i) {
    const auto at = BestOf(places, pods, features);
    if (!at) break;
    Place& place = places[*at];
    --place.devices[*Fits(place, pods)];
    place.taken[0] += pods.cpu * 1000;
    place.taken[1] += int64_t{pods.memory} << 30;
    nodes.push_back("n" + std::to_string(*at));
  }
  return nodes;
}

Worker WorkerOf(const RandomJob& job, const dra::AllocatorFeatures& features) {
  Worker worker(features);
  worker.Template("chooses",
                  {FirstAvailable("r", {RequestOfKind("a", "new"), RequestOfKind("b", "old")})});
  worker.Template("old", {RequestOfKind("r", "old")});
  for (size_t i = 0; i < job.places.size(); ++i) {
    const Place& place = job.places[i];
    const std::string name = "n" + std::to_string(i);
    std::vector<json> devices;
    for (const auto& [kind, count] :
         {std::pair("new", place.devices[kNew]), std::pair("old", place.devices[kOld])})
      for (int d = 0; d < count; ++d)
        devices.push_back(Device(kind + std::to_string(d), {{"kind", kind}}));
    json node =
        Allocatable(static_cast<int>(place.all[0] / 1000), static_cast<int>(place.all[1] >> 30));
    for (int taint = 0; taint < place.taints; ++taint)
      node["spec"]["taints"].push_back(
          Taint(("k" + std::to_string(taint)).c_str(), "PreferNoSchedule"));
    worker.Node(name, json::object(), node);
    if (!devices.empty()) worker.On(name, devices);
  }
  return worker;
}

std::shared_ptr<const dra::NodeUse> UsedOf(const RandomJob& job) {
  dra::NodeUse used;
  for (size_t i = 0; i < job.places.size(); ++i) {
    const Place& place = job.places[i];
    used[Symbol("n" + std::to_string(i))] = {
        {Symbol("cpu"), *Quantity::Parse(std::to_string(place.taken[0]) + "m")},
        {Symbol("memory"), Quantity(place.taken[1])},
        {Symbol("unrequested:cpu"), *Quantity::Parse(std::to_string(place.unasked) + "m")}};
  }
  return Used(std::move(used));
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
    std::vector<dra::PodDemand> demands;
    for (const Pods& pods : job.sets) {
      demands.push_back(worker.Parse(PodOf(pods.cpu, pods.memory).c_str(), pods.count));
      demands.back().name = "set-" + std::to_string(demands.size());
      demands.back().claims[0].template_name = pods.chooses ? "chooses" : "old";
    }
    const auto judgement = worker.Judge(demands, {.used = UsedOf(job)});
    std::vector<Place> places = job.places;
    for (size_t set = 0; set < job.sets.size(); ++set) {
      INFO("pod set " << set);
      const Names expected = PlacedByModel(job.sets[set], features, places);
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
