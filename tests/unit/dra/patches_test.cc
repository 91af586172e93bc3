// What patch releases of Kubernetes have mended in the allocator. `agree_tables.py --patches` of
// tests/real puts each case of AnswerOf() to the libraries before and after, but for those with
// DeviceTaintRules, which the scheduler resolves outside of them (docs/releases.md names the
// lines).

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"
#include "tests/unit/dra/judge_worker.h"
#include "tests/unit/dra/kept_cases.h"

namespace fedra::test::patches_test {
namespace {

using dra::Fit;

// "a b", "no", "error"; with "?" behind it, if the scheduler may find less.
std::string AnswerOf(Case c, const char* version) {
  const bool rules = !c.rules.empty();
  c.features = *dra::FeaturesOf(version);
  c.features.device_taint_rules = rules;
  KeepCase(c, version);
  const Outcome outcome = Solve(c);
  const std::string doubt = outcome.allocation.leaked ? "?" : "";
  if (outcome.fit == Fit::kError) return "error" + doubt;
  if (outcome.fit != Fit::kFit) return "no" + doubt;
  std::string devices;
  for (const std::string& device : outcome.devices)
    devices += (devices.empty() ? "" : " ") + device;
  return devices + doubt;
}

json Takes(int amount) {
  return {{"consumesCounters",
           {{{"counterSet", "s"}, {"counters", {{"c", {{"value", std::to_string(amount)}}}}}}}}};
}

// Two slices of one pool: so much of counter c, and the devices.
std::vector<json> Parts(int counter, const std::vector<json>& devices) {
  const json two = {{"pool", {{"resourceSliceCount", 2}}}};
  json counters = two;
  counters["sharedCounters"] = {
      {{"name", "s"}, {"counters", {{"c", {{"value", std::to_string(counter)}}}}}}};
  return {Slice("1", {}, counters), Slice("2", devices, two)};
}

json OfModel(const char* model) {
  return {{"selectors", Cel({std::string(R"(device.attributes["gpu.example.com"].model == ")") +
                             model + "\""})}};
}

TEST_CASE("a version is read with its patch; without one it is the newest") {
  using enum cel::KubernetesRelease;
  const auto is = [](const char* text, const dra::AllocatorFeatures& features) {
    INFO(text);
    return *dra::FeaturesOf(text) == features;
  };
  CHECK(is("v1.36.0", dra::FeaturesOf(k136, 0)));
  CHECK(is("1.36.3", dra::FeaturesOf(k136, 3)));
  CHECK(is("v1.36.2+k3s1", dra::FeaturesOf(k136, 2)));
  CHECK(is("v1.36.10-gke.100", dra::FeaturesOf(k136)));
  CHECK(is("v1.37.0-rc.1", dra::FeaturesOf(k137, 0)));
  CHECK(is("v1.36", dra::FeaturesOf(k136)));
  CHECK(is("1.36-gke.0", dra::FeaturesOf(k136)));
  dra::AllocatorFeatures nearest = dra::FeaturesOf(k137);
  for (const char* unknown : {"v1.38.0", "v1.99.1", "v1.370.2"}) {
    nearest.unknown_version = unknown;
    CHECK(is(unknown, nearest));
  }
  CHECK_FALSE(dra::FeaturesOf("1.33.4"));
  CHECK_FALSE(dra::FeaturesOf("new"));
  CHECK(dra::FeaturesOf(k136, 0) != dra::FeaturesOf(k136, 2));
}

TEST_CASE("a release that is not known is noted beside every verdict, which it does not change") {
  using enum verdict::Outcome;
  for (const int devices : {0, 1}) {
    CAPTURE(devices);
    const auto verdict_of = [&](const char* version) {
      Worker worker(*dra::FeaturesOf(version));
      worker.Node("n1").On("n1", Devices(devices)).Template("t", {Request("r")});
      return worker.Pods(1, "t").verdict;
    };
    const verdict::Verdict known = verdict_of("v1.37.9");
    verdict::Verdict newer = verdict_of("v1.38.0");
    CHECK(known.outcome == (devices == 0 ? kNo : kYes));
    CHECK(newer.outcome == known.outcome);
    REQUIRE_FALSE(newer.reasons.empty());
    CHECK(newer.reasons.back().code == ReasonCode::kReleaseUnknown);
    CHECK(verdict::MessageOf(newer.reasons.back()) ==
          "the worker's Kubernetes v1.38.0 is of no release that fedra knows: its devices are "
          "judged as by kube-scheduler 1.37");
    newer.reasons.pop_back();
    CHECK(newer.reasons == known.reasons);
  }
}

TEST_CASE("1.36.2: devices held in shares hold their counters") {
  Case c;
  json shared = Takes(1);
  shared.update({{"allowMultipleAllocations", true}, {"capacity", {{"m", {{"value", "10"}}}}}});
  c.slices =
      Parts(1, {Device("a", {{"model", "a"}}, shared), Device("b", {{"model", "b"}}, Takes(1))});
  c.allocated = {Holding(
      "x", "a",
      {{"shareID", "11111111-1111-1111-1111-111111111111"}, {"consumedCapacity", {{"m", "1"}}}})};
  c.claims = {Claim("c", {Request("r", 1, OfModel("b"))})};
  CHECK(AnswerOf(c, "v1.36.0") == "b");
  CHECK(AnswerOf(c, "v1.36.1") == "b");
  CHECK(AnswerOf(c, "v1.36.2") == "no");
  CHECK(AnswerOf(c, "v1.37.0") == "no");
}

TEST_CASE("1.36.2: All of devices that take of counters is no panic any more") {
  Case c;
  c.slices = Parts(2, {Device("a", {}, Takes(1)), Device("b", {}, Takes(1))});
  c.claims = {Claim("c", {All("r")})};
  CHECK(AnswerOf(c, "v1.36.1") == "error");
  CHECK(AnswerOf(c, "v1.36.2") == "a b");
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(AnswerOf(c, "v1.36.1") == "a b");
}

TEST_CASE("1.36.3: a device that is refused gives its counters back") {
  Case c;
  c.claims = {Claim("c", {Request("x", 1, OfModel("x")), Request("y", 1, OfModel("y"))},
                    {Match("gpu.example.com/n")})};
  c.slices = Parts(1, {Device("a", {{"model", "x"}, {"n", 1}}),
                       Device("b", {{"model", "y"}, {"n", 2}}, Takes(1)),
                       Device("c", {{"model", "y"}, {"n", 1}}, Takes(1))});
  CHECK(AnswerOf(c, "v1.36.2") == "a c?");
  CHECK(AnswerOf(c, "v1.36.3") == "a c");
  CHECK(AnswerOf(c, "v1.37.0") == "a c");
  // Nothing is refused before both have been found.
  c.slices = Parts(1, {Device("a", {{"model", "x"}, {"n", 1}}),
                       Device("b", {{"model", "y"}, {"n", 1}}, Takes(1)),
                       Device("c", {{"model", "y"}, {"n", 2}}, Takes(1))});
  CHECK(AnswerOf(c, "v1.36.2") == "a b");
}

TEST_CASE("1.36.4: pools of two drivers have counters of their own") {
  Case c;
  c.classes = {Class("gpu", {"true"})};
  c.slices = Parts(1, {Device("a", {}, Takes(1))});
  for (json piece : Parts(1, {Device("b", {}, Takes(1))})) {
    piece["metadata"]["name"] = piece["metadata"]["name"].get<std::string>() + "-nic";
    piece["spec"]["driver"] = "nic.example.com";
    c.slices.push_back(piece);
  }
  c.claims = {Claim("c", {Request("r", 2)})};
  CHECK(AnswerOf(c, "v1.36.3") == "no");
  CHECK(AnswerOf(c, "v1.36.4") == "a b");
}

TEST_CASE("1.37.1: a DeviceTaintRule without a selector taints nothing") {
  Case c;
  c.slices = {Slice("1", {Device("a")})};
  c.claims = {Claim("c", {Request("r")})};
  c.rules = {{{"metadata", {{"name", "empty"}}},
              {"spec", {{"taint", {{"key", "k"}, {"effect", "NoSchedule"}}}}}}};
  CHECK(AnswerOf(c, "v1.36.5") == "no");
  CHECK(AnswerOf(c, "v1.37.0") == "no");
  CHECK(AnswerOf(c, "v1.37.1") == "a");
  c.rules[0]["spec"]["deviceSelector"] = json::object();
  CHECK(AnswerOf(c, "v1.37.1") == "no");
}

TEST_CASE("where a refusal may have kept counters a Yes is Unknown; what fits nowhere is a No") {
  const auto judged = [](const char* version, int counter) {
    const json two = {{"pool", {{"resourceSliceCount", 2}}}};
    json sets = two;
    sets["sharedCounters"] = Parts(counter, {})[0]["spec"]["sharedCounters"];
    Worker worker(*dra::FeaturesOf(version));
    worker.Node("n1")
        .On("n1", {}, sets)
        .On("n1",
            {Device("a", {{"model", "x"}, {"n", 1}}),
             Device("b", {{"model", "y"}, {"n", 2}}, Takes(1)),
             Device("c", {{"model", "y"}, {"n", 1}}, Takes(1))},
            two)
        .Template("t", {Request("x", 1, OfModel("x")), Request("y", 1, OfModel("y"))},
                  {Match("gpu.example.com/n")});
    return worker.Pods(1, "t");
  };
  const auto doubtful = judged("v1.36.2", 1);
  CHECK(doubtful.verdict.outcome == verdict::Outcome::kUnknown);
  CHECK(Code(doubtful) == ReasonCode::kReleaseUnverified);
  CHECK_THAT(First(doubtful), Catch::Matchers::StartsWith("kube-scheduler 1.36 lets devices"));
  CHECK(judged("v1.36.3", 1).verdict.outcome == verdict::Outcome::kYes);
  CHECK(judged("v1.36.2", 0).verdict.outcome == verdict::Outcome::kNo);
}

// One counter; t is tainted and takes it, x takes it, y does not.
std::vector<json> OneCounter() {
  json tainted = Takes(1);
  tainted["taints"] = {{{"key", "k"}, {"effect", "NoSchedule"}}};
  return {Device("t", {{"model", "t"}}, tainted), Device("x", {{"model", "x"}}, Takes(1)),
          Device("y", {{"model", "y"}})};
}

void AddNode(const std::string& name, const std::vector<json>& devices, Worker& worker) {
  const json two = {{"pool", {{"resourceSliceCount", 2}}}};
  json sets = two;
  sets["sharedCounters"] = Parts(1, {})[0]["spec"]["sharedCounters"];
  worker.Node(name).On(name, {}, sets).On(name, devices, two);
}

dra::PodDemand PodsWith(const std::string& claim_template, int count = 1) {
  dra::PodDemand demand;
  demand.name = claim_template;
  demand.count = count;
  demand.claims = {{.pod_claim = "d", .template_name = claim_template, .claim_name = ""}};
  return demand;
}

// allocateDevice of v0.36.2 (allocator_incubating.go:1338): t takes the counter, is refused for its
// taint and keeps it, x finds none, and the first pod gets y, so that x is there for the second.
TEST_CASE("a No is not certain either once a pod may have taken other devices") {
  for (const auto& [version, outcome] : std::vector<std::pair<const char*, verdict::Outcome>>{
           {"v1.36.2", verdict::Outcome::kUnknown}, {"v1.36.3", verdict::Outcome::kNo}}) {
    INFO(version);
    Worker worker(*dra::FeaturesOf(version));
    AddNode("n1", OneCounter(), worker);
    worker.Template("any", {Request("r")}).Template("x", {Request("r", 1, OfModel("x"))});
    const auto judged = [&](const std::vector<dra::PodDemand>& demands) {
      return worker.Judge(demands).verdict.outcome;
    };
    CHECK(judged({PodsWith("any"), PodsWith("x")}) == outcome);
    CHECK(judged({PodsWith("any", 3)}) == outcome);
    // Nothing was refused before.
    CHECK(judged({PodsWith("x", 2)}) == verdict::Outcome::kNo);
    CHECK(judged({PodsWith("x", 2), PodsWith("any")}) == verdict::Outcome::kNo);
    dra::JudgeOptions options;
    options.assumed = Assumed(std::make_shared<const dra::PodDemand>(PodsWith("any")), 1);
    CHECK(worker.Judge({PodsWith("x")}, options).verdict.outcome == outcome);
  }
}

TEST_CASE("a node that is only looked at may come to an error where a refusal keeps counters") {
  for (const auto& [version, doubtful] :
       std::vector<std::pair<const char*, bool>>{{"v1.36.2", true}, {"v1.36.3", false}}) {
    INFO(version);
    // Without the leak n2 gives x before "bad" is looked at, which has no model.
    Worker worker(*dra::FeaturesOf(version));
    const json not_y = {
        {"selectors", Cel({R"(device.attributes["gpu.example.com"].model != "y")"})}};
    std::vector<json> devices = OneCounter();
    devices.back() = Device("bad");
    AddNode("n2", devices, worker);
    worker.Node("n1")
        .On("n1", {Device("good", {{"model", "x"}})})
        .Template("t", {Request("r", 1, not_y)});
    CHECK(worker.Pods(1, "t").verdict.outcome ==
          (doubtful ? verdict::Outcome::kUnknown : verdict::Outcome::kYes));
  }
}

// `availableCounters` of v0.36.3 is made once for a pod and used on all nodes
// (allocator_incubating.go:103, :1553).
TEST_CASE(
    "up to 1.36.3 pools of one name on several nodes leave it to chance whose counters count") {
  struct NameRow {
    const char* what;
    const char* version;
    const char* pool;  // of the second driver, of which the first has "p" on n1
    const char* node;
    bool both;  // the pod asks for devices of both
    verdict::Outcome outcome;
    bool cordoned = false;  // n2
    bool bound = false;     // the pod also names a claim that is allocated on n1
  };
  using enum verdict::Outcome;
  for (const NameRow& row : {NameRow{"one name, two nodes", "v1.36.3", "p", "n2", true, kUnknown},
                             NameRow{"mended", "v1.36.4", "p", "n2", true, kYes},
                             NameRow{"two names", "v1.36.3", "q", "n2", true, kYes},
                             NameRow{"other devices", "v1.36.3", "p", "n2", false, kYes},
                             NameRow{"one node", "v1.36.3", "p", "n1", true, kYes},
                             NameRow{"one usable node", "v1.36.3", "p", "n2", true, kYes, true},
                             NameRow{"the other is searched all the same", "v1.36.3", "p", "n2",
                                     true, kUnknown, false, true},
                             NameRow{"the gate is off", "v1.35.0", "q", "n2", true, kUnknown}}) {
    INFO(row.what);
    Worker worker(*dra::FeaturesOf(row.version));
    worker.AddClass(Class("any", {"true"}))
        .Node("n1")
        .Node("n2", json::object(), {{"spec", {{"unschedulable", row.cordoned}}}});
    const auto add = [&](const char* driver, const char* pool, const char* node, int counter) {
      json place = {{"driver", driver}, {"pool", {{"name", pool}, {"resourceSliceCount", 2}}}};
      json sets = place;
      sets["sharedCounters"] = Parts(counter, {})[0]["spec"]["sharedCounters"];
      worker.On(node, {}, sets).On(node, {Device("d", {}, Takes(1))}, place);
    };
    add("gpu.example.com", "p", "n1", 1);
    add("nic.example.com", row.pool, row.node, 1);
    worker.Template("t", {Request("r", 1, {{"deviceClassName", row.both ? "any" : "gpu"}})});
    json held = Claim("held", {Request("r")});
    held["status"] = json::parse(R"({"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields":
            [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
        "devices": {"results": [
            {"request": "r", "driver": "gpu.example.com", "pool": "h", "device": "h"}]}}})");
    worker.Add(held);
    dra::PodDemand demand = PodsWith("t");
    if (row.bound)
      demand.claims.push_back({.pod_claim = "h", .template_name = "", .claim_name = "held"});
    const auto judgement = worker.Judge({demand});
    CHECK(judgement.verdict.outcome == row.outcome);
    if (row.outcome == kUnknown) CHECK(Code(judgement) == ReasonCode::kReleaseUnverified);
  }
}

}  // namespace
}  // namespace fedra::test::patches_test
