// What chance decides about a job (order_question.h), with ways that merge and with every way gone
// to its end: random jobs with everything that a way depends on.

#include "dra/judge/order_question.h"

#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/support/histories.h"
#include "tests/unit/dra/builders.h"
#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::order_question_test {
namespace {

using dra::OrderEffect;

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool OneOf(int n) { return Below(n) == 0; }

  // Two nodes with room for few pods, and pools of their own; now and then one that both reach, one
  // that is not complete, devices in use.
  void MakeCluster(dra::SnapshotBuilder& builder, dra::ParseContext& context) {
    one_lacks_ = OneOf(2) ? 3 : 20;
    for (const char* node : {"n1", "n2"}) {
      const json of_node = {
          {"metadata", {{"name", node}}},
          {"status", {{"allocatable", {{"cpu", std::to_string(1 + Below(7))}, {"pods", "9"}}}}}};
      builder.SetNode(dra::ParseNode(of_node, context).value());
      for (int pool = 1 + Below(3); pool > 0; --pool)
        AddPool({{"nodeName", node}}, node + std::to_string(pool), builder, context);
    }
    if (OneOf(4)) AddPool({{"nodeName", nullptr}, {"allNodes", true}}, "all", builder, context);
    builder.SetClass(dra::ParseDeviceClass(Class("gpu"), context).value());
    for (const char* name : {"a", "b", "c"}) {
      const json claim = MakeClaim(name);
      const json object = {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim["spec"]}}}};
      builder.SetTemplate(dra::ParseClaimTemplate(object, context).value());
    }
    builder.SetClaim(dra::ParseClaim(MakeClaim("shared"), context).value());
  }

  std::vector<dra::PodDemand> MakeJob(dra::ParseContext& context) {
    std::vector<dra::PodDemand> demands;
    for (const char* name : {"a", "b", "c"}) {
      if (!demands.empty() && OneOf(3)) continue;
      json claims = {{{"name", "d"}, {"resourceClaimTemplateName", name}}};
      if (OneOf(5)) claims.push_back({{"name", "s"}, {"resourceClaimName", "shared"}});
      const std::string cpu = std::to_string(1 + Below(2));
      const json pod = {
          {"spec",
           {{"containers", {{{"name", "c"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}}},
            {"resourceClaims", claims}}}};
      dra::PodDemand demand = dra::ParsePodDemand(pod, context).value();
      demand.name = name;
      demand.count = 1 + Below(3);
      demands.push_back(std::move(demand));
    }
    return demands;
  }

 private:
  void AddPool(json place, const std::string& name, dra::SnapshotBuilder& builder,
               dra::ParseContext& context) {
    const int slices = OneOf(4) ? 2 : 1;
    const int published = OneOf(12) ? slices + 1 : slices;
    place["pool"] = {{"name", name}, {"resourceSliceCount", published}};
    for (int slice = 0; slice < slices; ++slice) {
      std::vector<json> devices;
      for (int i = 1 + Below(2); i > 0; --i) {
        json attributes = {{"n", Below(2)}};
        if (!OneOf(one_lacks_)) attributes["model"] = OneOf(3) ? "y" : "x";
        // A name twice makes the pool invalid.
        const int number = OneOf(30) ? 0 : i;
        devices.push_back(Device("d" + std::to_string(slice) + std::to_string(number), attributes));
      }
      builder.SetSlice(
          dra::ParseSlice(Slice(name + "-" + std::to_string(slice), devices, place), context)
              .value());
    }
  }
  json MakeRequest(const std::string& name) {
    if (OneOf(2)) return Request(name, 1 + Below(4) / 3);
    const std::string model = OneOf(2) ? "x" : "y";
    // Of a device without a model it fails.
    const std::string is = R"(device.attributes["gpu.example.com"].model == ")" + model + "\"";
    const std::string has = R"("model" in device.attributes["gpu.example.com"] && )";
    return Request(name, 1 + Below(4) / 3, {{"selectors", Cel({(OneOf(3) ? "" : has) + is})}});
  }
  json MakeClaim(const std::string& name) {
    std::vector<json> requests, constraints;
    for (int i = 1 + Below(4) / 3; i > 0; --i) {
      const std::string request = "r" + std::to_string(i);
      requests.push_back(
          OneOf(5) ? FirstAvailable(request, {MakeRequest("first"), MakeRequest("second")})
                   : MakeRequest(request));
    }
    if (OneOf(4)) constraints = {Match("gpu.example.com/n")};
    return Claim(name, requests, constraints);
  }

  std::mt19937 random_;
  int one_lacks_ = 0;  // one of so many devices has no model
};

// One question about the order, again and again; `caches` empty or not.
class Asked {
 public:
  Asked(const dra::Snapshot& snapshot, std::span<const dra::PodDemand> job)
      : snapshot_(snapshot), job_(job) {}

  dra::OrderFinding Ask(bool merges = true, uint64_t max_steps = 1'000'000) {
    dra::JudgeOptions options{};
    options.limits.max_steps = max_steps;
    const dra::JudgeCaches caches{selectors_, matches_, &memory_};
    const dra::Question question{"ml", job_, options};
    dra::SearchCost cost;
    const dra::Attempt answer = TryNodes(question, snapshot_, caches, cost, {});
    return EffectOfOrder(question, answer, snapshot_, caches, merges);
  }

 private:
  const dra::Snapshot& snapshot_;
  const std::span<const dra::PodDemand> job_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_;
  dra::JudgeMemory memory_;
};

TEST_CASE("random jobs: ways that merge decide as all of them to their end") {
  Random random(46);
  std::map<OrderEffect, unsigned> effects;
  unsigned unproven = 0;
  for (unsigned i = 0; i < Histories(400); ++i) {
    const auto features = *dra::FeaturesOf(i % 2 == 0 ? "1.34" : "1.35");
    dra::ParseContext context;
    dra::SnapshotBuilder builder(features);
    random.MakeCluster(builder, context);
    const std::vector<dra::PodDemand> job = random.MakeJob(context);
    const auto snapshot = builder.Publish();
    INFO("case " << i);
    Asked asked(*snapshot, job);
    const dra::OrderFinding merged = asked.Ask();
    ++effects[merged.effect];
    // What the caches know changes nothing.
    CHECK(asked.Ask().effect == merged.effect);
    dra::OrderFinding gone = asked.Ask(/*merges=*/false, 100'000);
    if (!gone.is_proven) gone = asked.Ask(/*merges=*/false, 3'000'000);
    if (merged.is_proven && gone.is_proven)
      CHECK(merged.effect == gone.effect);
    else
      ++unproven;
  }
  INFO(unproven << " not to their end");
  CHECK(effects[OrderEffect::kNone] > Histories(150));
  // Few histories may have few of these.
  CHECK(effects[OrderEffect::kCounts] >= Histories(30) / 10);
  CHECK(effects[OrderEffect::kVerdict] >= Histories(30) / 10);
  CHECK(unproven < Histories(40));
}

TEST_CASE("a job of very many pods without a choice is played out") {
  // Each takes all that a node has, of two slices that differ.
  Worker worker(*dra::FeaturesOf("1.35"));
  for (int i = 0; i < 600; ++i) {
    const std::string node = "n" + std::to_string(i);
    worker.Node(node);
    for (const char* model : {"x", "y"})
      worker.On(node, {Device("d", {{"model", model}})}, {{"pool", {{"name", node + model}}}});
  }
  worker.Template("both", {Request("r", 2)});
  CHECK(worker.Pods(600, "both").verdict.outcome == verdict::Outcome::kYes);
}

}  // namespace
}  // namespace fedra::test::order_question_test
