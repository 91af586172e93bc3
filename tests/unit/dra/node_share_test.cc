// Devices that take of their node's own resources (KEP-5517). The rules are those of kube-scheduler
// v1.36.3, pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go;
// each row names the function that it is about.

#include "dra/judge/node_share.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::node_share_test {
namespace {

using verdict::Outcome;

json Room(const char* cpu, const char* memory) {
  return {{"status", {{"allocatable", {{"cpu", cpu}, {"memory", memory}, {"pods", "110"}}}}}};
}

json Mapped(const std::string& name, const json& mappings, const json& more = json::object()) {
  json fields = {{"nodeAllocatableResourceMappings", mappings}};
  fields.update(more);
  return Device(name, json::object(), fields);
}

const json kTwoCpus = {{"cpu", {{"allocationMultiplier", "2"}}}};

// One container that uses claim "dev".
std::string Pod(const std::string& requests = "{}", const std::string& of_pod = "{}") {
  return R"({"spec": {"containers": [{"resources": {"claims": [{"name": "dev"}], "requests": )" +
         requests + R"(}}], "resources": )" + of_pod +
         R"(, "resourceClaims": [{"name": "dev", "resourceClaimTemplateName": "t"}]}})";
}

struct Row {
  const char* why;
  json mappings;
  int devices;  // per claim
  std::string pod;
  int pods;
  int fitting;  // on one node with 8 cpus, 8Gi and eight such devices
};

TEST_CASE("what devices take of their node counts as the pod's") {
  const std::vector<Row> rows = {
      {"no mapping", json::object(), 8, Pod(R"({"cpu": "8"})"), 1, 1},
      {"buildNodeAllocatableDRAInfo: the multiplier per device", kTwoCpus, 4, Pod(), 1, 1},
      {"... of which five take ten cpus", kTwoCpus, 5, Pod(), 1, 0},
      {"PodRequests: beside the containers", kTwoCpus, 3, Pod(R"({"cpu": "2"})"), 1, 1},
      {"... and not in their place", kTwoCpus, 3, Pod(R"({"cpu": "2001m"})"), 1, 0},
      {"nodeFitsResources: memory",
       {{"memory", {{"allocationMultiplier", "3Gi"}}}},
       2,
       Pod(R"({"memory": "2Gi"})"),
       1,
       1},
      {"... too little of it", {{"memory", {{"allocationMultiplier", "3Gi"}}}}, 3, Pod(), 1, 0},
      {"nodeFitsResources: huge pages that the node lacks",
       {{"hugepages-2Mi", {{"allocationMultiplier", "2Mi"}}}},
       1,
       Pod(),
       1,
       0},
      {"assumed pods hold what their devices take", kTwoCpus, 1, Pod(), 8, 4},
      {"validatePodLevelRequestsCoverDRA: the pod's request covers them", kTwoCpus, 2,
       Pod(R"({"cpu": "1"})", R"({"requests": {"cpu": "5"}})"), 1, 1},
      {"... and they do not count again", kTwoCpus, 2, Pod("{}", R"({"requests": {"cpu": "4"}})"),
       2, 2},
      {"... or does not", kTwoCpus, 2, Pod(R"({"cpu": "2"})", R"({"requests": {"cpu": "5"}})"), 1,
       0},
      {"defaultPodRequests: a limit makes a request of what the containers ask for", kTwoCpus, 1,
       Pod(R"({"cpu": "1"})", R"({"limits": {"memory": "1Gi"}})"), 1, 0},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    std::vector<json> devices;
    for (int i = 0; i < 8; ++i) devices.push_back(Mapped("dev-" + std::to_string(i), row.mappings));
    Worker worker;
    worker.Node("n", json::object(), Room("8", "8Gi")).On("n", devices);
    worker.Template("t", {Request("r", row.devices)});
    const auto judgement = worker.Judge({worker.Parse(row.pod.c_str(), row.pods)});
    INFO(First(judgement));
    CHECK(judgement.verdict.pods_fitting == row.fitting);
    CHECK(judgement.verdict.outcome == (row.fitting == row.pods ? Outcome::kYes : Outcome::kNo));
  }
}

TEST_CASE("without node resources only the room is left out") {
  Worker worker;
  worker.Node("n", json::object(), Room("1", "1Gi")).On("n", {Mapped("a", kTwoCpus)});
  worker.Template("t", {Request("r")});
  dra::JudgeOptions options;
  options.node_resources = false;
  CHECK(worker.Judge({worker.Parse(Pod().c_str())}, options).verdict.outcome == Outcome::kYes);
}

TEST_CASE("getPodNodeAllocatableResourceFootprint: some container must use the claim") {
  Worker worker;
  worker.Node("n", json::object(), Room("8", "8Gi")).On("n", {Mapped("a", kTwoCpus)});
  worker.Template("t", {Request("r")});
  const auto judgement = worker.Judge({worker.Parse(
      R"({"spec": {"containers": [{}],
          "resourceClaims": [{"name": "dev", "resourceClaimTemplateName": "t"}]}})")});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(Code(judgement) == ReasonCode::kNodeMismatch);
  CHECK_THAT(First(judgement), ContainsSubstring("no container uses claim dev (template t)"));
}

TEST_CASE("another node whose devices take less is as good") {
  Worker worker;
  worker.Node("a", json::object(), Room("1", "8Gi")).On("a", {Mapped("x", kTwoCpus)});
  worker.Node("b", json::object(), Room("1", "8Gi")).On("b", {Device("y")});
  worker.Template("t", {Request("r")});
  const auto judgement = worker.Judge({worker.Parse(Pod().c_str())});
  CHECK(judgement.verdict.outcome == Outcome::kYes);
  CHECK(judgement.pod_sets[0].nodes == std::vector<std::string>{"b"});
}

TEST_CASE("calculateAndCheckNodeAllocatableResources: no other device of the node is tried") {
  Worker worker;
  worker.Node("n", json::object(), Room("1", "8Gi")).On("n", {Mapped("x", kTwoCpus), Device("y")});
  worker.Template("t", {Request("r")});
  CHECK(worker.Judge({worker.Parse(Pod().c_str())}).verdict.outcome == Outcome::kNo);
}

TEST_CASE("buildNodeAllocatableDRAInfo: a capacity counts as it is consumed") {
  const json by_capacity = {{"memory", {{"capacityKey", "mem"}, {"allocationMultiplier", "2"}}}};
  const json capacity = {{"capacity", {{"mem", {{"value", "16Gi"}}}}}};
  json shared = capacity;
  shared["allowMultipleAllocations"] = true;
  const json wanted = {{"capacity", {{"requests", {{"mem", "2Gi"}}}}}};
  Worker worker;
  worker.Node("n", json::object(), Room("8", "9Gi")).On("n", {Mapped("a", by_capacity, shared)});
  worker.Template("t", {Request("r", 1, wanted)});
  CHECK(worker.Judge({worker.Parse(Pod().c_str(), 3)}).verdict.pods_fitting == 2);

  Worker whole;
  whole.Node("n", json::object(), Room("8", "9Gi")).On("n", {Mapped("a", by_capacity, capacity)});
  whole.Template("t", {Request("r")});
  const auto judgement = whole.Judge({whole.Parse(Pod().c_str())});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK_THAT(First(judgement), ContainsSubstring("ConsumedCapacity is nil"));
}

TEST_CASE("validateNodeAllocatableDRAClaimSharing: one pod of a node uses such a claim") {
  const char* const pod =
      R"({"spec": {"containers": [{"resources": {"claims": [{"name": "dev"}]}}],
          "resourceClaims": [{"name": "dev", "resourceClaimName": "shared"}]}})";
  Worker worker;
  worker.Node("n", json::object(), Room("8", "8Gi")).On("n", {Mapped("a", kTwoCpus)});
  worker.Add(Claim("shared", {Request("r")}));
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Judge({worker.Parse(pod, 2)});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.verdict.pods_fitting == 1);

  json claim = Claim("shared", {Request("r")});
  const json result = {{"request", "r"}, {"driver", kDriver}, {"pool", "n"}, {"device", "a"}};
  claim["status"]["allocation"] = {{"allocationTimestamp", "2026-11-21T16:00:00Z"},
                                   {"devices", {{"results", json::array({result})}}}};
  claim["status"]["reservedFor"] = json::array({{{"uid", "another-pod"}}});
  worker.Add(claim);
  const std::map<Symbol, std::set<ObjectKey>> held = {{Symbol("n"), {{"ml", "shared"}}}};
  dra::JudgeOptions options;
  options.node_claims = &held;
  CHECK(worker.Judge({worker.Parse(pod)}, options).verdict.outcome == Outcome::kNo);
}

}  // namespace
}  // namespace fedra::test::node_share_test
