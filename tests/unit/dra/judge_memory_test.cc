// What is remembered between questions changes no answer.

#include "dra/judge/judge_memory.h"

#include <random>

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::judge_memory_test {
namespace {

dra::AllocatorFeatures WithTaintRules() {
  dra::AllocatorFeatures features;
  features.device_taint_rules = true;
  return features;
}

// What the histories have come to, all together: a test that never sees a refusal proves little.
struct Seen {
  int yes = 0, no = 0, aborted = 0, some_fit = 0;
  int changed[12] = {};  // per kind of change, how often the cluster was another one afterwards
};

// A cluster that changes, and questions about it.
class History {
 public:
  History(unsigned seed, Seen& seen) : random_(seed), seen_(seen), builder_(WithTaintRules()) {
    for (int i = 0; i < 4; ++i) SetNode(i);
    SetClass();
    Template("one", {Request("r")});
    Template("two", {Request("r", 2)});
    Template("tolerant",
             {Request("r", 1, {{"tolerations", {{{"key", "k"}, {"operator", "Exists"}}}}})});
    Template("picky", {Request("r", 1, {{"selectors", Cel({Model("x")})}}), Request("s")});
    Template("all", {All("r")});
    builder_.SetClaim(dra::ParseClaim(Claim("named", {Request("r")}), context_).value());
  }

  void Change() {
    const auto before = builder_.Publish();
    const int kind = Pick(12);
    Apply(kind);
    if (builder_.Publish() != before) ++seen_.changed[kind];
  }

  // Asks twice: with everything remembered so far, and with nothing.
  void SubRequest() {
    const auto demand = Demand();
    const auto snapshot = builder_.Publish();
    const auto known = dra::Judge("ml", {&demand, 1}, *snapshot, {selectors_, matches_, &memory_});
    dra::SelectorCache selectors;
    dra::MatchCache matches;
    const auto fresh = dra::Judge("ml", {&demand, 1}, *snapshot, {selectors, matches});
    CHECK(known.verdict == fresh.verdict);
    const dra::PodSetReport &a = known.pod_sets[0], &b = fresh.pod_sets[0];
    CHECK(a.nodes == b.nodes);
    CHECK(a.nearest == b.nearest);
    CHECK(a.aborted == b.aborted);
    CHECK(a.obstacle == b.obstacle);
    CHECK(Texts(a) == Texts(b));
    seen_.yes += fresh.verdict.outcome == verdict::Outcome::kYes;
    seen_.no += fresh.verdict.outcome == verdict::Outcome::kNo;
    seen_.aborted += b.aborted;
    seen_.some_fit += b.fitting > 0 && b.fitting < b.wanted;
  }

  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  void Apply(int kind) {
    switch (kind) {
      case 0:
        SetNode(Pick(4));
        break;
      case 1:
        builder_.RemoveNode(Symbol(Name("n", Pick(4))));
        break;
      case 2:
      case 3:
      case 4:
        SetSlice(Pick(6));
        break;
      case 5:
        builder_.RemoveSlice(Symbol(Name("slice", Pick(6))));
        break;
      case 6:
        builder_.RemoveClaim({.ns = "other", .name = Name("claim", Pick(4))});
        break;
      case 7:
        builder_.SetClaim(dra::ParseClaim(Holding(Name("claim", Pick(4)), Name("gpu", Pick(3)),
                                                  {{"pool", Name("n", Pick(4))}}),
                                          context_)
                              .value());
        break;
      case 8:
        SetRule(Pick(2));
        break;
      case 9:
        builder_.RemoveTaintRule(Name("rule", Pick(2)));
        break;
      case 10:
        if (Pick(4))
          SetClass();
        else
          builder_.RemoveClass(Symbol("gpu"));
        break;
      default:
        SetNamed();
        break;
    }
  }
  dra::PodDemand Demand() {
    const char* templates[] = {"one", "two", "tolerant", "picky", "all"};
    json claim = {{"name", "d"}, {"resourceClaimTemplateName", templates[Pick(5)]}};
    if (Pick(5) == 0) claim = {{"name", "d"}, {"resourceClaimName", "named"}};
    json pod = {{"spec", {{"resourceClaims", json::array({claim})}}}};
    if (Pick(3) == 0) pod["spec"]["nodeSelector"] = {{"zone", Pick(2) ? "a" : "b"}};
    if (Pick(3) == 0) pod["spec"]["containers"] = {{{"resources", {{"requests", {{"cpu", "1"}}}}}}};
    dra::PodDemand demand = dra::ParsePodDemand(pod, context_).value();
    demand.count = 1 + Pick(3);
    return demand;
  }
  static std::vector<std::string> Texts(const dra::PodSetReport& report) {
    std::vector<std::string> texts;
    for (const dra::RequestReport& request : report.requests)
      texts.push_back(request.claim + " " + request.request + " " +
                      verdict::CountsText(request.Counts()));
    return texts;
  }
  static std::string Name(const char* kind, int number) {
    return std::string(kind) + "-" + std::to_string(number);
  }
  static std::string Model(const std::string& model) {
    return R"(device.attributes["gpu.example.com"].model == ")" + model + "\"";
  }
  void Template(const std::string& name, const std::vector<json>& requests) {
    const json claim = Claim(name, requests);
    builder_.SetTemplate(
        dra::ParseClaimTemplate(
            {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim["spec"]}}}}, context_)
            .value());
  }
  void SetClass() {
    const std::string driver = R"(device.driver == "gpu.example.com")";
    builder_.SetClass(
        dra::ParseDeviceClass(Pick(3) ? Class("gpu") : Class("gpu", {driver, Model("x")}), context_)
            .value());
  }
  void SetNode(int number) {
    json node = {
        {"metadata", {{"name", Name("n", number)}, {"labels", {{"zone", Pick(2) ? "a" : "b"}}}}},
        {"status", {{"allocatable", {{"cpu", Pick(4) ? "2" : "500m"}}}}}};
    builder_.SetNode(dra::ParseNode(node, context_).value());
  }
  void SetSlice(int number) {
    std::vector<json> devices;
    for (int i = Pick(4); i > 0; --i) {
      json device = Device(Name("gpu", i), json::object());
      if (Pick(8)) device["attributes"] = Attributes({{"model", Pick(2) ? "x" : "y"}});
      if (Pick(5) == 0) device["taints"] = json::array({{{"key", "k"}, {"effect", "NoSchedule"}}});
      devices.push_back(device);
    }
    json more = {{"nodeName", Name("n", Pick(4))},
                 {"pool",
                  {{"name", Name("n", number)},
                   {"resourceSliceCount", Pick(8) ? 1 : 2},
                   {"generation", 1}}}};
    if (Pick(10) == 0) more["nodeName"] = nullptr, more["allNodes"] = true;
    builder_.SetSlice(
        dra::ParseSlice(Slice(Name("slice", number), devices, more), context_).value());
  }
  void SetRule(int number) {
    json selector = {{"pool", Name("n", Pick(6))}};
    if (Pick(2)) selector["device"] = Name("gpu", 1 + Pick(3));
    const json rule = {{"metadata", {{"name", Name("rule", number)}}},
                       {"spec",
                        {{"deviceSelector", selector},
                         {"taint", {{"key", Pick(2) ? "k" : "m"}, {"effect", "NoExecute"}}}}}};
    builder_.SetTaintRule(dra::ParseTaintRule(rule, context_).value());
  }
  // Free, allocated on a node, or that and in use.
  void SetNamed() {
    json claim = Claim("named", {Request("r")});
    if (Pick(3)) {
      const std::string node = Name("n", Pick(4));
      const json field = {{"key", "metadata.name"}, {"operator", "In"}, {"values", {node}}};
      const json terms = json::array({{{"matchFields", json::array({field})}}});
      claim["status"] = Holding("x", Name("gpu", 1 + Pick(3)), {{"pool", node}})["status"];
      claim["status"]["allocation"]["nodeSelector"] = {{"nodeSelectorTerms", terms}};
      if (Pick(4)) claim["status"]["allocation"]["allocationTimestamp"] = "2026-01-01T00:00:00Z";
      if (Pick(2)) claim["status"]["reservedFor"] = json::array({{{"uid", "u"}}});
    }
    builder_.SetClaim(dra::ParseClaim(claim, context_).value());
  }

  std::mt19937 random_;
  Seen& seen_;
  dra::ParseContext context_;
  dra::SnapshotBuilder builder_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_ = dra::MatchCache(8);  // has no room for all
  dra::JudgeMemory memory_;
};

TEST_CASE("a judgement with a memory is the judgement without one, through any history") {
  Seen seen;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    History history(seed, seen);
    for (int step = 0; step < 100; ++step) {
      INFO("seed " << seed << " step " << step);
      for (int changes = history.Pick(3); changes > 0; --changes) history.Change();
      history.SubRequest();
    }
  }
  CHECK(seen.yes > 300);
  CHECK(seen.no > 300);
  CHECK(seen.aborted > 30);
  CHECK(seen.some_fit > 30);
  for (const int changed : seen.changed) CHECK(changed > 30);
}

// One node per slice, and questions that look at all of them.
struct Churn {
  dra::ParseContext context;
  dra::SnapshotBuilder builder{dra::AllocatorFeatures()};
  dra::SelectorCache selectors;

  explicit Churn(int nodes) {
    builder.SetClass(dra::ParseDeviceClass(Class("gpu"), context).value());
    const json claim = Claim("t", {Request("r", 3)});
    builder.SetTemplate(
        dra::ParseClaimTemplate(
            {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim["spec"]}}}}, context)
            .value());
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "n" + std::to_string(i);
      builder.SetNode(dra::ParseNode({{"metadata", {{"name", name}}}}, context).value());
      SetSlice(i, 1);
    }
  }
  void SetSlice(int number, int generation) {
    const std::string name = "n" + std::to_string(number);
    builder.SetSlice(
        dra::ParseSlice(
            Slice(name, Devices(2),
                  {{"nodeName", name}, {"pool", {{"name", name}, {"generation", generation}}}}),
            context)
            .value());
  }
  dra::Judgement SubRequest(dra::MatchCache& matches) {
    dra::PodDemand demand;
    demand.claims = {{.pod_claim = "d", .template_name = "t", .claim_name = ""}};
    return dra::Judge("ml", {&demand, 1}, *builder.Publish(), {selectors, matches});
  }
};

TEST_CASE("what was found out about slices that are gone is forgotten") {
  Churn churn(4);
  dra::MatchCache matches;
  for (int change = 0; change < 2000; ++change) {
    churn.SetSlice(change % 4, change + 2);
    CHECK(Code(churn.SubRequest(matches)) == ReasonCode::kNotEnoughDevices);
    CHECK(matches.size() <= 257);
  }
}

TEST_CASE("nor is what nobody asks about any more remembered") {
  Churn churn(4);
  dra::MatchCache matches;
  for (int change = 0; change < 1000; ++change) {
    const json selector = {{"selectors", Cel({"1 == " + std::to_string(change)})}};
    const json claim = Claim("t", {Request("r", 3, selector)});
    const json object = {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim["spec"]}}}};
    churn.builder.SetTemplate(dra::ParseClaimTemplate(object, churn.context).value());
    churn.SubRequest(matches);
    CHECK(matches.size() <= 520);
  }
}

TEST_CASE("a cache of matches never holds more than its bound, even within one judgement") {
  Churn churn(50);
  dra::MatchCache small(10), large;
  const auto judgement = churn.SubRequest(small);
  CHECK(small.size() == 10);
  CHECK(judgement.verdict == churn.SubRequest(large).verdict);
  CHECK(large.size() == 50);
  CHECK(churn.SubRequest(small).verdict == judgement.verdict);
  CHECK(small.size() <= 10);
}

}  // namespace
}  // namespace fedra::test::judge_memory_test
