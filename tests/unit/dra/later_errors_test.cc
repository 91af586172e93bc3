// Errors that only later pods meet: those before them took the devices that hid the failing one.
// What each pod does to the next: the search passes devices in use, and an error on
// one node ends the attempt on all.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"
#include "verdict/reason_text.h"

namespace fedra::test::later_errors_test {
namespace {

using verdict::Outcome;

constexpr const char* kModelIsX = R"(device.attributes["gpu.example.com"].model == "x")";

// A device that the selector can be evaluated on, and one that it cannot.
json Good(const std::string& name = "good") { return Device(name, {{"model", "x"}}); }
json Bad() { return Device("zz-bad"); }

class ModelWorker : public Worker {
 public:
  ModelWorker() { Template("t", {Request("r", 1, {{"selectors", Cel({kModelIsX})}})}); }
};

dra::PodDemand Set(const char* name, int count) {
  dra::PodDemand demand;
  demand.name = name;
  demand.count = count;
  demand.claims = {{.pod_claim = "dev", .template_name = "t", .claim_name = ""}};
  return demand;
}

TEST_CASE("whichever node the first pod goes to, the second ends with an error: No") {
  ModelWorker worker;
  worker.Node("n1").On("n1", {Good(), Bad()}).Node("n2").On("n2", {Good(), Bad()});
  CHECK(worker.Pods(1, "t").verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Pods(2, "t");
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.pod_sets[0].fitting == 1);
  CHECK(judgement.pod_sets[0].aborted);
  REQUIRE(judgement.verdict.reasons.size() == 2);
  CHECK(verdict::MessageOf(judgement.verdict.reasons[0]) == "1 of 2 pods fit");
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kSelectorError);
  CHECK_THAT(verdict::MessageOf(judgement.verdict.reasons[1]),
             ContainsSubstring("on node n1: request r"));
}

TEST_CASE("where the nodes that pods go to decide on an error, it is Unknown") {
  for (const bool bad_first : {true, false}) {
    INFO("the node with the failing device comes first: " << bad_first);
    ModelWorker worker;
    worker.Node("n1").Node("n2");
    worker.On(bad_first ? "n1" : "n2", {Good("a"), Good("b"), Bad()});
    worker.On(bad_first ? "n2" : "n1", {Good("a"), Good("b"), Good("c")});
    // Both of one node may be taken: there is no third pod to meet the error.
    CHECK(worker.Pods(2, "t").verdict.outcome == Outcome::kYes);
    for (const int pods : {3, 4, 5}) {
      const auto judgement = worker.Pods(pods, "t");
      CHECK(judgement.verdict.outcome == Outcome::kUnknown);
      CHECK(judgement.verdict.pods_fitting == pods);
      CHECK_FALSE(judgement.pod_sets[0].aborted);
      REQUIRE(judgement.verdict.reasons.size() == 1);
      CHECK(Code(judgement) == ReasonCode::kSelectorError);
      CHECK_THAT(
          First(judgement),
          ContainsSubstring(bad_first ? "on node n1 once 2 pods of pod set main are there: "
                                      : "on node n2 once 2 pods of pod set main are there: "));
      CHECK_THAT(First(judgement), ContainsSubstring("depends on which nodes it prefers"));
    }
    // Five take all that can be taken: whatever the order, the sixth ends with an error.
    const auto judgement = worker.Pods(6, "t");
    CHECK(judgement.verdict.outcome == Outcome::kNo);
    CHECK(judgement.verdict.pods_fitting == 5);
    CHECK(judgement.pod_sets[0].aborted);
    CHECK(judgement.verdict.reasons[1].code == ReasonCode::kSelectorError);
  }
}

TEST_CASE("alternatives do not lead to a node where the next attempt ends with an error") {
  Worker worker;
  const json model = {{"selectors", Cel({kModelIsX})}};
  worker.Template("t",
                  {FirstAvailable("r", {Request("many", 2, model), Request("one", 1, model)})});
  worker.Node("n1").On("n1", {Good("a"), Good("b"), Bad()});
  worker.Node("n2").On("n2", {Good("a")}).Node("n3").On("n3", {Good("a")});
  // n1 gives the better alternative; n2 and n3 fail at no pod's attempt.
  const auto judgement = worker.Pods(2, "t");
  CHECK(judgement.verdict.outcome == Outcome::kUnknown);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"n2", "n3"});
  CHECK(worker.Pods(3, "t").pod_sets[0].nodes == std::vector<std::string>{"n2", "n3", "n1"});
  CHECK(worker.Pods(4, "t").pod_sets[0].aborted);
}

TEST_CASE("room for the pods counts before devices do: no error where no pod gets to") {
  ModelWorker worker;
  const json small = {{"status", {{"allocatable", {{"cpu", "1"}, {"pods", "9"}}}}}};
  const json large = {{"status", {{"allocatable", {{"cpu", "9"}, {"pods", "9"}}}}}};
  worker.Node("n1", json::object(), small).On("n1", {Good(), Bad()});
  worker.Node("n2", json::object(), large).On("n2", {Good("a"), Good("b"), Good("c")});
  const auto pods = worker.Parse(R"({"spec": {
      "containers": [{"resources": {"requests": {"cpu": "1"}}}],
      "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})",
                                 4);
  const auto judgement = worker.Judge({pods});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.verdict.pods_fitting == 4);
}

TEST_CASE("a device that several nodes reach hides an error on another node") {
  ModelWorker worker;
  const json fabric = {{"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "fabric"}}}};
  worker.On("", {Good()}, fabric);
  worker.Node("n1").On("n1", {Good()}).Node("n2").On("n2", {Bad()});
  CHECK(worker.Pods(1, "t").verdict.outcome == Outcome::kYes);
  // The first pod has the device of the fabric wherever it runs, and n1 has one for the second.
  const auto judgement = worker.Pods(2, "t");
  CHECK(judgement.verdict.outcome == Outcome::kUnknown);
  CHECK(judgement.pod_sets[0].fitting == 1);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kSelectorError);
  CHECK(judgement.verdict.reasons[1].object == "Node n2");
}

TEST_CASE("with one node there is no choice, whatever the pods share") {
  ModelWorker worker;
  const json fabric = {{"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "fabric"}}}};
  worker.On("", {Good(), Bad()}, fabric).Node("n1");
  const auto judgement = worker.Pods(2, "t");
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.pod_sets[0].aborted);
}

TEST_CASE("a shared claim that is allocated no longer hides an error on the other nodes") {
  ModelWorker worker;
  worker.Add(Claim("shared", {Request("any")}));
  // On n2 the shared claim would take the device that the other cannot be judged on.
  worker.Node("n1").On("n1", {Good("a"), Good("b"), Good("c")});
  worker.Node("n2").On("n2", {Device("bad"), Good()});
  const char* both = R"({"spec": {"resourceClaims": [
      {"name": "s", "resourceClaimName": "shared"},
      {"name": "d", "resourceClaimTemplateName": "t"}]}})";
  CHECK(worker.Judge({worker.Parse(both)}).verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Judge({worker.Parse(both, 2)});
  CHECK(judgement.verdict.outcome == Outcome::kUnknown);
  CHECK(judgement.pod_sets[0].fitting == 1);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kSelectorError);
  CHECK(judgement.verdict.reasons[1].object == "Node n2");
}

TEST_CASE("an error that a later pod set meets depends on where the others went, or does not") {
  ModelWorker worker;
  worker.Node("n1").On("n1", {Good(), Bad()}).Node("n2").On("n2", {Good("a"), Good("b")});
  auto judgement = worker.Judge({Set("leader", 1), Set("workers", 1)});
  CHECK(judgement.verdict.outcome == Outcome::kUnknown);
  CHECK(judgement.pod_sets[1].fitting == 0);
  CHECK_THAT(First(judgement), ContainsSubstring("depends on which nodes it prefers"));
  // Another node fails whatever is placed.
  worker.Node("n3").On("n3", {Bad()});
  dra::PodDemand plain = Set("plain", 1);
  plain.claims.clear();
  judgement = worker.Judge({plain, Set("workers", 1)});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.pod_sets[1].aborted);
  CHECK(judgement.verdict.reasons[0].object == "Node n3");
}

TEST_CASE("the limit of 32 devices does not depend on what is taken") {
  Worker worker;
  worker.Template("t", {Request("a", 17), Request("b", 16)});
  worker.Node("n1").On("n1", Devices(40)).Node("n2").On("n2", Devices(40));
  for (const int pods : {1, 2}) {
    const auto judgement = worker.Pods(pods, "t");
    CHECK(judgement.verdict.outcome == Outcome::kNo);
    CHECK(judgement.pod_sets[0].fitting == 0);
    CHECK(Code(judgement) == ReasonCode::kAllocationError);
  }
}

}  // namespace
}  // namespace fedra::test::later_errors_test
