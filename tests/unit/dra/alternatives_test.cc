// Which alternatives of firstAvailable requests the pods get, each told with its request.

#include "dra/judge/judge.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::alternatives_test {
namespace {

using verdict::Outcome;

json Model(const char* model) {
  return {{"selectors", Cel({std::string(R"(device.attributes["gpu.example.com"].model == ")") +
                             model + "\""})}};
}

// Of each model a device on one node, as many as given.
void AddDevices(Worker& worker, int large, int small) {
  std::vector<json> devices;
  for (int i = 0; i < large; ++i)
    devices.push_back(Device("large-" + std::to_string(i), {{"model", "large"}}));
  for (int i = 0; i < small; ++i)
    devices.push_back(Device("small-" + std::to_string(i), {{"model", "small"}}));
  worker.Node("n1").On("n1", devices);
}

json LargeOrSmall(const char* name) {
  return FirstAvailable(name,
                        {Request("large", 1, Model("large")), Request("small", 1, Model("small"))});
}

const char* const kSharedAndOwn =
    R"({"spec": {"resourceClaims": [{"name": "s", "resourceClaimName": "shared"},
                                    {"name": "o", "resourceClaimTemplateName": "own"}]}})";

TEST_CASE("alternatives stay with their requests when pods share a claim") {
  // The first pod allocates the shared claim (small, nothing else is asked for) and takes the
  // large device; the second gets a small one for its own claim.
  Worker worker;
  AddDevices(worker, 1, 3);
  worker.Add(Claim("shared", {FirstAvailable("a", {Request("huge", 1, Model("huge")),
                                                   Request("small", 1, Model("small"))})}));
  worker.Template("own", {LargeOrSmall("b")});
  CHECK(worker.Judge({worker.Parse(kSharedAndOwn, 1)}).verdict.alternatives ==
        std::vector<int>{1, 0});
  const auto judgement = worker.Judge({worker.Parse(kSharedAndOwn, 2)});
  REQUIRE(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.verdict.alternatives == std::vector<int>{1, 1});
  const auto& chosen = judgement.pod_sets[0].alternatives;
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].claim == 0);
  CHECK(chosen[0].request == 0);
  CHECK(chosen[1].claim == 1);
  CHECK(chosen[1].request == 0);
}

TEST_CASE("and when the shared claim has the better one") {
  Worker worker;
  AddDevices(worker, 1, 2);
  worker.Add(Claim("shared", {LargeOrSmall("a")})).Template("own", {LargeOrSmall("b")});
  const auto judgement = worker.Judge({worker.Parse(kSharedAndOwn, 2)});
  REQUIRE(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.verdict.alternatives == std::vector<int>{0, 1});
}

TEST_CASE("pod sets that share a claim name what they get themselves") {
  Worker worker;
  AddDevices(worker, 1, 2);
  worker.Add(Claim("shared", {LargeOrSmall("a")})).Template("own", {LargeOrSmall("b")});
  const auto pod = worker.Parse(kSharedAndOwn);
  const auto judgement = worker.Judge({pod, pod});
  REQUIRE(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.verdict.alternatives == std::vector<int>{0, 1, 1});
  REQUIRE(judgement.pod_sets[1].alternatives.size() == 1);
  CHECK(judgement.pod_sets[1].alternatives[0].claim == 1);
}

TEST_CASE("what new nodes would bring is merged request by request") {
  // Request a is satisfied from the cluster, b by a new node: its second alternative.
  Worker worker;
  worker.Node("n1").On("x", {Device("d", {{"model", "small"}})},
                       {{"nodeName", nullptr}, {"allNodes", true}, {"pool", {{"name", "fabric"}}}});
  worker.AddClass(Class("new", {"false"}));
  const json none = Request("none", 1, {{"selectors", Cel({"false"})}});
  worker.Template("t",
                  {LargeOrSmall("a"),
                   FirstAvailable("b", {none, Request("new", 1, {{"deviceClassName", "new"}})})});
  const std::vector<dra::ScalablePool> pools = {
      {.device_class = "new", .devices = 4, .node_labels = {}, .max_nodes = 0}};
  const auto judgement = worker.Judge(
      {worker.Parse(
          R"({"spec": {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})")},
      {.scalable_pools = &pools});
  REQUIRE(judgement.verdict.outcome == Outcome::kMayScale);
  CHECK(judgement.pod_sets[0].alternatives ==
        std::vector<dra::ChosenAlternative>{{.claim = 0, .request = 1, .index = 1}});
}

}  // namespace
}  // namespace fedra::test::alternatives_test
