// Up to 1.35 each pod comes to the pools and slices of each node in an order of its own, which is
// chance: jobs of several pods against a model that tries every order for each of them.

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::order_by_pod_test {
namespace {

using verdict::Outcome;
using verdict::ReasonCode;

bool IsDoubt(const dra::Judgement& judgement) {
  if (judgement.verdict.outcome != Outcome::kUnknown) return false;
  const auto* doubt = std::get_if<verdict::ReleaseDoubt>(&judgement.verdict.reasons.at(0).facts);
  return doubt != nullptr && doubt->kind == verdict::ReleaseDoubt::Kind::kOrder;
}

// A No that says so.
bool CountsAreOfChance(const dra::Judgement& judgement) {
  if (judgement.verdict.reasons.empty()) return false;
  const auto* doubt = std::get_if<verdict::ReleaseDoubt>(&judgement.verdict.reasons.back().facts);
  return doubt != nullptr && doubt->kind == verdict::ReleaseDoubt::Kind::kCounts;
}

json Is(const char* model) {
  const std::string expression = R"(device.attributes["gpu.example.com"].model == ")";
  return {{"selectors", Cel({expression + model + "\""})}};
}

dra::PodDemand PodsWith(const std::string& claim_template, int count) {
  dra::PodDemand demand;
  demand.name = claim_template;
  demand.count = count;
  demand.claims = {{.pod_claim = "d", .template_name = claim_template, .claim_name = ""}};
  return demand;
}

// ---- the model

struct Cluster {
  std::vector<json> slices;
  std::map<std::string, std::pair<std::vector<json>, std::vector<json>>> templates;
};
using Sets = std::vector<std::pair<std::string, int>>;  // template and pods, by pod set
using Fitting = std::vector<int>;                       // by pod set

// Every list in every order, each element in one of its forms.
template <class T>
std::vector<std::vector<T>> EveryOrder(const std::vector<std::vector<T>>& elements) {
  std::vector<size_t> order(elements.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<std::vector<T>> all;
  do {
    std::vector<std::vector<T>> begun = {{}};
    for (const size_t i : order) {
      std::vector<std::vector<T>> longer;
      for (const auto& list : begun)
        for (const T& form : elements[i]) {
          longer.push_back(list);
          longer.back().push_back(form);
        }
      begun = std::move(longer);
    }
    all.insert(all.end(), begun.begin(), begun.end());
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

using ViewPointer = std::shared_ptr<const dra::PoolView>;

std::vector<ViewPointer> SlicesInEveryOrder(const ViewPointer& view) {
  std::vector<std::vector<std::vector<dra::ViewDevice>>> slices;
  for (const dra::ViewDevice& device : view->devices) {
    if (slices.empty() || slices.back()[0].back().slice != device.slice) slices.push_back({{}});
    slices.back()[0].push_back(device);
  }
  std::vector<ViewPointer> forms;
  for (const auto& order : EveryOrder(slices)) {
    auto form = std::make_shared<dra::PoolView>(*view);
    form->devices.clear();
    for (const auto& slice : order)
      form->devices.insert(form->devices.end(), slice.begin(), slice.end());
    forms.push_back(std::move(form));
  }
  return forms;
}

class Model {
 public:
  Model(const Cluster& cluster, const dra::AllocatorFeatures& features, const Sets& sets)
      : sets_(sets) {
    Case objects{.slices = cluster.slices, .node = "n1"};
    for (const auto& [name, spec] : cluster.templates)
      objects.claims.push_back(Claim(name, spec.first, spec.second));
    case_ = *ReadDraCase(objects.ToJson(), context_, &features);
    for (const dra::Claim& claim : case_.claims) {
      const std::vector<dra::UnallocatedClaim> one = {{claim.key, &claim.spec}};
      pods_.emplace(claim.key.name, dra::Prepare(one, *case_.snapshot, matches_, selectors_));
    }
    for (const char* name : {"n1", "n2"}) {
      dra::Node& node = nodes_.emplace_back(case_.node);
      node.name = Symbol(name);
    }
    for (const dra::Node& node : nodes_) {
      const dra::NodeView view = dra::ViewOf(*case_.snapshot, node);
      std::vector<std::vector<ViewPointer>> pools;
      for (const ViewPointer& pool : view.pools) pools.push_back(SlicesInEveryOrder(pool));
      auto& views = views_.emplace_back();
      for (auto& order : EveryOrder(pools))
        views.push_back({.node = &node, .pools = std::move(order), .states = {}});
    }
  }

  std::set<Fitting> Outcomes() { return From(0, 0, {}); }

 private:
  using Taken = std::set<std::pair<std::string, uint32_t>>;  // pool, slot
  struct Got {
    bool fits = false;
    int score = 0;
    Taken taken;

    auto operator<=>(const Got&) const = default;
  };

  // What the pod can get on a node, over all orders.
  std::set<Got> On(size_t node, const dra::PodClaims& pod, const Taken& taken) {
    dra::Workspace workspace;
    for (const dra::NodeView& view : {views_[0][0], views_[1][0]})
      for (const auto& pool : view.pools)
        for (const auto& [name, slot] : taken)
          if (name == pool->key.ToString())
            workspace.pools[pool->key].devices[slot].dedicated = true;
    std::set<Got> all;
    for (const dra::NodeView& view : views_[node]) {
      const auto found = dra::Allocate(pod, view, &workspace, matches_, case_.snapshot->features());
      Got got{.fits = found.fit == dra::Fit::kFit, .taken = {}};
      for (const int alternative : found.alternatives) got.score += 8 - alternative;
      for (const dra::ChosenDevice& device : found.devices)
        got.taken.emplace(view.pools[device.pool]->key.ToString(),
                          view.pools[device.pool]->devices[device.device].slot);
      all.insert(std::move(got));
    }
    return all;
  }

  std::set<Fitting> From(size_t set, int fitting, const Taken& taken) {
    if (set == sets_.size()) return {{}};
    const auto [at, is_new] = known_.try_emplace({set, fitting, taken});
    if (!is_new) return at->second;
    std::set<Fitting> outcomes;
    const auto add = [&](const std::set<Fitting>& more, bool ends) {
      for (Fitting rest : more) {
        if (ends) rest.insert(rest.begin(), fitting);
        outcomes.insert(std::move(rest));
      }
    };
    if (fitting == sets_[set].second) {
      add(From(set + 1, 0, taken), true);
    } else {
      const dra::PodClaims& pod = pods_.at(sets_[set].first);
      for (const Got& first : On(0, pod, taken)) {
        for (const Got& second : On(1, pod, taken)) {
          const bool is_first = first.fits && (!second.fits || first.score >= second.score);
          const Got& got = is_first ? first : second;
          if (!got.fits) {
            add(From(set + 1, 0, taken), true);
            continue;
          }
          Taken more = taken;
          more.insert(got.taken.begin(), got.taken.end());
          add(From(set, fitting + 1, more), false);
        }
      }
    }
    return known_[{set, fitting, taken}] = outcomes;
  }

  const Sets& sets_;
  dra::ParseContext context_;
  DraCase case_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_;
  std::map<std::string, dra::PodClaims> pods_;
  std::vector<dra::Node> nodes_ = Reserved();
  std::vector<std::vector<dra::NodeView>> views_;  // by node: in every order
  std::map<std::tuple<size_t, int, Taken>, std::set<Fitting>> known_;

  static std::vector<dra::Node> Reserved() {
    std::vector<dra::Node> nodes;
    nodes.reserve(2);
    return nodes;
  }
};

dra::Judgement JudgeOn(const Cluster& cluster, const dra::AllocatorFeatures& features,
                       const Sets& sets) {
  Worker worker(features);
  worker.Node("n1").Node("n2").Slices(cluster.slices);
  for (const auto& [name, spec] : cluster.templates) worker.Template(name, spec.first, spec.second);
  std::vector<dra::PodDemand> demands;
  for (const auto& [name, pods] : sets) demands.push_back(PodsWith(name, pods));
  return worker.Judge(demands);
}

// ---- random clusters and jobs

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  Cluster MakeCluster() {
    Cluster cluster;
    for (int pool = 2 + Below(2); pool > 0; --pool) AddPool("n1", pool, cluster);
    for (int pool = Below(3); pool > 0; --pool) AddPool("n2", pool, cluster);
    cluster.templates = {{"a", MakeClaim(3)}, {"b", MakeClaim(1)}};
    return cluster;
  }
  Sets MakeSets() { return {{"a", 1 + Below(2)}, {"b", 1 + Below(2)}}; }

 private:
  void AddPool(const std::string& node, int pool, Cluster& cluster) {
    const std::string name = node + "-" + std::to_string(pool);
    const int slices = Below(6) == 0 ? 2 : 1;
    for (int slice = 0; slice < slices; ++slice) {
      std::vector<json> devices;
      for (int i = 1 + Below(2); i > 0; --i)
        devices.push_back(Device("d" + std::to_string(slice) + std::to_string(i),
                                 {{"model", Below(3) == 0 ? "y" : "x"}, {"n", Below(2)}}));
      cluster.slices.push_back(
          Slice(name + "-" + std::to_string(slice), devices,
                {{"nodeName", node}, {"pool", {{"name", name}, {"resourceSliceCount", slices}}}}));
    }
  }
  // For any device in so many of four cases.
  json MakeRequest(const std::string& name, int any) {
    const json of = Below(4) < any ? json::object() : Is(Below(2) == 0 ? "x" : "y");
    return Request(name, 1 + Below(4) / 3, of);
  }
  std::pair<std::vector<json>, std::vector<json>> MakeClaim(int any) {
    std::vector<json> requests, constraints;
    for (int i = 1 + Below(4) / 3; i > 0; --i) {
      const std::string name = "r" + std::to_string(i);
      requests.push_back(Below(5) == 0 ? FirstAvailable(name, {MakeRequest("first", any),
                                                               MakeRequest("second", any)})
                                       : MakeRequest(name, any));
    }
    if (Below(4) == 0) constraints = {Match("gpu.example.com/n")};
    return {requests, constraints};
  }

  std::mt19937 random_;
};

int Sum(const Fitting& fitting) { return std::accumulate(fitting.begin(), fitting.end(), 0); }

TEST_CASE("random jobs: Yes and No where all orders of all pods agree, else Unknown") {
  Random random(18);
  int yes = 0, no = 0, counts = 0, unknown = 0, unproven = 0, by_nodes = 0;
  for (int i = 0; i < 1000; ++i) {
    const Cluster cluster = random.MakeCluster();
    const Sets sets = random.MakeSets();
    const auto features = *dra::FeaturesOf(i % 2 == 0 ? "1.34" : "1.35");
    const std::set<Fitting> outcomes = Model(cluster, features, sets).Outcomes();
    const auto judgement = JudgeOn(cluster, features, sets);
    INFO("case " << i << ": " << json(cluster.slices).dump() << json(cluster.templates).dump()
                 << json(sets).dump());
    Fitting fitting;
    int wanted = 0;
    for (const auto& set : judgement.pod_sets) {
      fitting.push_back(set.fitting);
      wanted += set.wanted;
    }
    const auto all_fit = [&](const Fitting& outcome) { return Sum(outcome) == wanted; };
    if (outcomes.size() > 1 && std::any_of(outcomes.begin(), outcomes.end(), all_fit)) {
      ++unknown;
      REQUIRE(IsDoubt(judgement));
      continue;
    }
    if (IsDoubt(judgement)) {
      ++unproven;
      continue;
    }
    REQUIRE(outcomes.contains(fitting));
    // The model takes nodes that score alike by name.
    if (judgement.verdict.outcome == Outcome::kUnknown) {
      REQUIRE(judgement.verdict.reasons.front().code == ReasonCode::kPodPlacement);
      REQUIRE(sets.size() > 1);
      ++by_nodes;
      continue;
    }
    REQUIRE(judgement.verdict.outcome == (all_fit(fitting) ? Outcome::kYes : Outcome::kNo));
    REQUIRE(CountsAreOfChance(judgement) == (outcomes.size() > 1));
    ++(outcomes.size() > 1 ? counts : all_fit(fitting) ? yes : no);
  }
  INFO("yes " << yes << ", no " << no << ", of those by chance " << counts << ", unknown "
              << unknown << ", unproven " << unproven << ", by nodes that score alike "
              << by_nodes);
  CHECK(std::min({yes, no, unknown}) > 80);
  CHECK(counts > 30);
  CHECK(unproven <= 10);
  CHECK(by_nodes < 100);
}

// ---- examples

json OfPool(const char* pool) { return {{"pool", {{"name", pool}}}}; }

struct Row {
  const char* what;
  std::vector<json> first, second;  // requests
  std::vector<json> constraints = {};
  int first_pods = 1;
};

TEST_CASE("what pods take in different orders") {
  // Each order alone fits in the first row, and in none of the second.
  const std::vector<Row> rows = {
      {"one pod takes of the first pool, the next of the second",
       {Request("r")},
       {Request("r", 2)},
       {Match("gpu.example.com/n")},
       2},
      {"one each is left over only where the pods come in different orders",
       {Request("r")},
       {Request("b", 1, Is("b")), Request("d", 1, Is("d"))},
       {},
       2},
  };
  for (const Row& row : rows) {
    for (const char* version : {"1.34", "1.35"}) {
      INFO(row.what << ", " << version);
      Worker worker(*dra::FeaturesOf(version));
      worker.Node("n1")
          .On("n1",
              {Device("a", {{"model", "a"}, {"n", 1}}), Device("b", {{"model", "b"}, {"n", 1}})},
              OfPool("1"))
          .On("n1",
              {Device("c", {{"model", "c"}, {"n", 2}}), Device("d", {{"model", "d"}, {"n", 2}})},
              OfPool("2"))
          .Template("first", row.first)
          .Template("second", row.second, row.constraints);
      CHECK(IsDoubt(worker.Judge({PodsWith("first", row.first_pods), PodsWith("second", 1)})));
    }
  }
}

TEST_CASE("where never all pods fit, the order decides only how many do") {
  // Of the first set one fits in any case; it may leave a or b.
  Worker worker(*dra::FeaturesOf("1.35"));
  worker.Node("n1")
      .On("n1", {Device("a", {{"model", "a"}})}, OfPool("1"))
      .On("n1", {Device("b", {{"model", "b"}})}, OfPool("2"))
      .Template("any", {Request("r")})
      .Template("a", {Request("r", 1, Is("a"))});
  const auto judgement = worker.Judge({PodsWith("any", 1), PodsWith("a", 2)});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(CountsAreOfChance(judgement));
  CHECK(IsDoubt(worker.Judge({PodsWith("any", 1), PodsWith("a", 1)})));
  CHECK(worker.Judge({PodsWith("any", 3)}).verdict.outcome == Outcome::kNo);
}

TEST_CASE("requests that have one slice each leave no doubt, however different devices are") {
  for (const char* version : {"1.34", "1.35"}) {
    Worker worker(*dra::FeaturesOf(version));
    json nics = {{"driver", "nic.example.com"}, {"pool", {{"name", "nics"}}}};
    worker.AddClass(Class("nic", {R"(device.driver == "nic.example.com")"}));
    std::vector<json> gpus, cards;
    for (int i = 0; i < 8; ++i) {
      gpus.push_back(Device("gpu-" + std::to_string(i), {{"n", i / 2}}));
      cards.push_back(Device("nic-" + std::to_string(i), {{"n", i / 2}}));
    }
    json nic = Request("nic");
    nic["exactly"]["deviceClassName"] = "nic";
    worker.Node("n1")
        .On("n1", gpus, OfPool("gpus"))
        .On("n1", cards, nics)
        .Template("both", {Request("gpu", 2), nic},
                  {Match("gpu.example.com/n", json::array({"gpu"}))})
        .Template("one", {Request("gpu")});
    CHECK(worker.Judge({PodsWith("both", 3), PodsWith("one", 2)}).verdict.outcome == Outcome::kYes);
    CHECK(worker.Judge({PodsWith("both", 5)}).verdict.outcome == Outcome::kNo);
  }
}

// Twenty nodes with devices of these models, each model in pools of its own; `any` takes all.
Worker LargeWorker(const std::vector<std::string>& models, const json& node = json::object()) {
  Worker worker(*dra::FeaturesOf("1.35"));
  worker.Template("any", {Request("r")});
  for (const std::string& model : models)
    worker.Template(model, {Request("r", 1, Is(model.c_str()))});
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(i);
    worker.Node(name, json::object(), node);
    for (const std::string& model : models)
      worker.On(name, Devices(4, {{"model", model}, {"n", 1}}), OfPool((name + model).c_str()));
  }
  return worker;
}

// Of so many models there are too many ways to leave some of each.
const std::vector<std::string> kSix = {"a", "b", "c", "d", "e", "f"};

std::vector<dra::PodDemand> LargeJob() {
  std::vector<dra::PodDemand> demands = {PodsWith("any", 80)};
  for (const char* model : {"a", "b", "c", "d", "e"}) demands.push_back(PodsWith(model, 1));
  return demands;
}

TEST_CASE("what cannot be played out within the limits is Unknown") {
  Worker worker = LargeWorker(kSix);
  CHECK(IsDoubt(worker.Judge(LargeJob())));
  // All alike for the job.
  CHECK(worker.Judge({PodsWith("any", 480)}).verdict.outcome == Outcome::kYes);
  CHECK(worker.Judge({PodsWith("a", 81)}).verdict.outcome == Outcome::kNo);
}

TEST_CASE("many pods are played out where they can leave few combinations of devices") {
  Worker worker = LargeWorker({"a", "b"});
  // All fit in every order of the pools, as long as the nodes are filled one after the other.
  const auto spread = worker.Judge({PodsWith("any", 80), PodsWith("a", 1)});
  CHECK(spread.verdict.outcome == Outcome::kUnknown);
  CHECK(spread.verdict.reasons.front().code == ReasonCode::kPodPlacement);
  // Of the a's 40 are left in any case, and one node is half full.
  CHECK(IsDoubt(worker.Judge({PodsWith("any", 76), PodsWith("a", 42)})));
  const auto no = worker.Judge({PodsWith("any", 76), PodsWith("a", 45)});
  CHECK(no.verdict.outcome == Outcome::kNo);
  CHECK(CountsAreOfChance(no));
}

TEST_CASE("a set that no node has room for settles what cannot be played out") {
  Worker worker = LargeWorker(kSix, {{"status", {{"allocatable", {{"cpu", "8"}, {"pods", "9"}}}}}});
  const auto asking = [&](const char* resource, int count) {
    const json pod = {
        {"spec",
         {{"containers", {{{"name", "c"}, {"resources", {{"requests", {{resource, "9"}}}}}}}},
          {"resourceClaims", {{{"name", "d"}, {"resourceClaimTemplateName", "a"}}}}}}};
    std::vector<dra::PodDemand> demands = LargeJob();
    demands.push_back(worker.Parse(pod.dump().c_str(), count));
    return demands;
  };
  const auto no = worker.Judge(asking("cpu", 1));
  CHECK(no.verdict.outcome == Outcome::kNo);
  CHECK(CountsAreOfChance(no));
  // Devices may provide it, where the gate is on that the class shows.
  json named = Class("named");
  named["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(named);
  CHECK(worker.Judge(asking("example.com/gpu", 1)).verdict.outcome == Outcome::kUnknown);
}

TEST_CASE("beside a set of which nothing is known, one that fits in no order by name may fit") {
  Worker worker(*dra::FeaturesOf("1.35"));
  const json counters = {
      {"consumesCounters", {{{"counterSet", "s"}, {"counters", {{"c", {{"value", "1"}}}}}}}}};
  const json whole = {
      {"selectors", Cel({R"(device.attributes["gpu.example.com"].model != "part")"})}};
  worker.Node("n1")
      .On("n1", {Device("a", {{"model", "a"}})}, OfPool("1"))
      .On("n1", {Device("b", {{"model", "b"}})}, OfPool("2"))
      .On("n1", {Device("c", {{"model", "part"}}, counters)}, OfPool("3"))
      .Template("any", {Request("r", 1, whole)})
      .Template("a", {Request("r", 1, Is("a"))})
      .Template("part", {Request("r", 2, Is("part"))});
  CHECK(worker.Judge({PodsWith("part", 1)}).verdict.outcome == Outcome::kUnknown);
  CHECK(IsDoubt(worker.Judge({PodsWith("any", 1), PodsWith("a", 1), PodsWith("part", 1)})));
}

TEST_CASE("a selector that fails in some orders, on many nodes") {
  // The pod finds a device with a model first, or one without.
  for (const bool bad_first : {false, true}) {
    INFO((bad_first ? "an error" : "a device") << " by name");
    Worker worker(*dra::FeaturesOf("1.35"));
    for (int node = 0; node < 30; ++node) {
      const std::string name = "n" + std::to_string(node);
      worker.Node(name)
          .On(name, {Device("good", {{"model", "a"}})},
              OfPool((name + (bad_first ? "2" : "1")).c_str()))
          .On(name, {Device("bad")}, OfPool((name + (bad_first ? "1" : "2")).c_str()));
    }
    worker.Template("a", {Request("r", 1, Is("a"))});
    CHECK(IsDoubt(worker.Judge({PodsWith("a", 1)})));
  }
}

}  // namespace
}  // namespace fedra::test::order_by_pod_test
