// What the scheduler ends with an error for: selectors have a code of their own.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::judge_errors_test {
namespace {

struct Row {
  const char* why;
  std::function<void(Worker&)> make;  // the template "t", and more if need be
  const char* text;
};

TEST_CASE("what the allocator gives up on is not called a selector's error") {
  const json term = {{"matchExpressions", {{{"key", "zone"}, {"operator", "Exists"}}}}};
  const json roams = {{"nodeName", nullptr},
                      {"nodeSelector", {{"nodeSelectorTerms", {term, term}}}},
                      {"driver", "gpu.example.com"}};
  const std::vector<Row> rows = {
      {"more than 32 devices",
       [](Worker& w) { w.Template("t", {Request("a", 20), Request("b", 20)}); },
       "number of requested devices 40 exceeds the claim limit of 32"},
      {"a constraint under All",
       [](Worker& w) {
         w.Template("t", {All("r")}, {Match("gpu.example.com/g")});
         w.On("n1", {Device("x", {{"g", 1}}), Device("y", {{"g", 2}})},
              {{"pool", {{"name", "p"}}}});
       },
       "because a claim constraint would not be satisfied"},
      {"a nodeSelector with several terms",
       [&](Worker& w) {
         w.AddClass(
             Class("roaming", {R"(device.attributes["gpu.example.com"].?far.orValue(false))"}));
         json pool = roams;
         pool["pool"]["name"] = "far";
         w.On("", {Device("x", {{"far", true}})}, pool);
         w.Template("t", {Request("r", 1, {{"deviceClassName", "roaming"}})});
       },
       "unsupported ResourceSlice.NodeSelector with 2 terms"},
      {"a mode of a later release",
       [](Worker& w) { w.Template("t", {Request("r", 1, {{"allocationMode", "Most"}})}); },
       "unsupported count mode Most"},
      {"a kind of selector of a later release",
       [](Worker& w) { w.Template("t", {Request("r", 1, {{"selectors", {{{"future", 1}}}}})}); },
       "unsupported selector type"},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Worker worker;
    worker.Node("n1", {{"zone", "a"}}).On("n1", {Device("a", {{"g", 1}})});
    row.make(worker);
    const auto judgement = worker.Pods(1, "t");
    CHECK(judgement.verdict.outcome == verdict::Outcome::kNo);
    CHECK(judgement.pod_sets[0].aborted);
    CHECK(Code(judgement) == ReasonCode::kAllocationError);
    CHECK_THAT(First(judgement), ContainsSubstring(row.text));
  }
}

TEST_CASE("a selector that fails where the scheduler does not come does not hide what is short") {
  Worker worker;
  worker.Node("n1").On("n1", {Device("gpu-0", {{"model", "x"}})});
  worker.On("gone", {Device("gpu-0")}, {{"pool", {{"name", "p"}}}});
  worker.Add(Holding("user", "gpu-0", {{"pool", "n1"}}));
  const auto selectors = Cel({R"(device.attributes["gpu.example.com"].model == "x")"});
  worker.Template("t", {Request("r", 1, {{"selectors", selectors}})});
  CHECK(Code(worker.Pods(1, "t")) == ReasonCode::kDevicesAllocated);
  worker.Template(
      "other",
      {Request("r", 1,
               {{"selectors", Cel({R"(device.attributes["gpu.example.com"].model == "y")"})}})});
  CHECK(Code(worker.Pods(1, "other")) == ReasonCode::kSelectorError);
}

TEST_CASE(
    "up to 1.35.5 and 1.36.1 no node has a score for a pod of whose claims only some are "
    "allocated") {
  const char* const pod = R"({"spec": {"resourceClaims": [
      {"name": "a", "resourceClaimName": "shared"},
      {"name": "b", "resourceClaimTemplateName": "t"}]}})";
  struct ScoreRow {
    const char* why;
    const char* version;
    int nodes;
    bool allocated;
    int pods;
    verdict::Outcome outcome;
    int fitting;
  };
  using enum verdict::Outcome;
  for (const ScoreRow& row :
       {ScoreRow{"two nodes fit", "1.35.4", 2, true, 2, kNo, 0},
        ScoreRow{"of one node no score is asked", "1.35.4", 1, true, 2, kYes, 2},
        ScoreRow{"none is allocated yet", "1.35.4", 2, false, 1, kYes, 1},
        ScoreRow{"the first pod has allocated it", "1.35.4", 2, false, 2, kUnknown, 1},
        ScoreRow{"no score is asked", "1.34.4", 2, true, 2, kYes, 2},
        ScoreRow{"not mended yet", "1.35.5", 2, true, 2, kNo, 0},
        ScoreRow{"mended", "1.35.6", 2, true, 2, kYes, 2},
        ScoreRow{"not mended yet", "1.36.1", 2, true, 2, kNo, 0},
        ScoreRow{"mended", "1.36.2", 2, true, 2, kYes, 2}}) {
    INFO(row.why << " in " << row.version);
    Worker worker(*dra::FeaturesOf(row.version));
    for (int i = 1; i <= row.nodes; ++i) {
      const std::string node = "n" + std::to_string(i);
      worker.Node(node).On(node, Devices(2));
    }
    worker.On("everywhere", {Device("wide", {{"reach", "all"}})},
              {{"nodeName", nullptr}, {"allNodes", true}});
    const auto wide = Cel({R"("reach" in device.attributes["gpu.example.com"])"});
    json claim = Claim("shared", {Request("r", 1, {{"selectors", wide}})});
    if (row.allocated) {
      claim["status"] = Holding("x", "wide", {{"pool", "everywhere"}})["status"];
      claim["status"]["allocation"]["allocationTimestamp"] = "2026-01-01T00:00:00Z";
      claim["status"]["reservedFor"] = {{{"uid", "u"}}};
    }
    worker.Add(claim).Template("t", {Request("r")});
    const auto judgement = worker.Judge({worker.Parse(pod, row.pods)});
    CHECK(judgement.verdict.outcome == row.outcome);
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    if (row.outcome == kNo) CHECK(Code(judgement) == ReasonCode::kAllocationError);
  }
}

}  // namespace
}  // namespace fedra::test::judge_errors_test
