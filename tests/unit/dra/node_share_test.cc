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

// ---- the form of 1.37; functions of the same file of v1.37.2

json Resources(const std::string& name, const json& resources, const json& more = json::object()) {
  json fields = {{"nodeAllocatableResources", resources}};
  fields.update(more);
  return Device(name, json::object(), fields);
}

const json kTwoCpusMapped = {{"cpu", {{"mapping", {{"deviceMultiplier", "2"}}}}}};
const json kOverhead = {{"cpu", {{"overhead", {{"perPod", "1"}, {"perContainer", "500m"}}}}}};

// So many containers that use claim "dev", of a template or by name.
std::string Using(int containers, const char* claim = R"("resourceClaimTemplateName": "t")") {
  std::string list;
  for (int i = 0; i < containers; ++i) list += R"({"resources": {"claims": [{"name": "dev"}]}}, )";
  return R"({"spec": {"containers": [)" + list + R"({}], "resourceClaims": [{"name": "dev", )" +
         claim + "}]}}";
}

TEST_CASE("1.37: mapping once for the claim, overhead for the pod and for each use") {
  struct Row37 {
    const char* why;
    json resources;
    json more;
    json request;
    int devices;
    std::string pod;
    int pods;
    int fitting;  // on one node with 8 cpus and eight such devices
  };
  const json shared = {{"allowMultipleAllocations", true},
                       {"capacity", {{"cores", {{"value", "4"}}}}}};
  const json by_cores = {
      {"cpu", {{"mapping", {{"capacityKey", "cores"}, {"capacityMultiplier", "2"}}}}}};
  const json wanted = {{"capacity", {{"requests", {{"cores", "2"}}}}}};
  const json none = json::object();
  json both = kTwoCpusMapped;
  both["cpu"].update(kOverhead["cpu"]);
  const std::vector<Row37> rows = {
      {"addDeviceMapping: the multiplier per device", kTwoCpusMapped, none, none, 4, Using(1), 1,
       1},
      {"... of which five take ten cpus", kTwoCpusMapped, none, none, 5, Using(1), 1, 0},
      {"no container needs to use the claim", kTwoCpusMapped, none, none, 1, Using(0), 5, 4},
      {"addDeviceMapping: a capacity as it is consumed", by_cores, shared, wanted, 1, Using(1), 3,
       2},
      {"addDeviceOverhead: per pod", kOverhead, none, none, 1, Using(0), 8, 8},
      {"... and per container that names the claim", kOverhead, none, none, 1, Using(2), 8, 4},
      {"... per device", kOverhead, none, none, 2, Using(2), 4, 2},
      {"both", both, none, none, 1, Using(2), 8, 2},
  };
  for (const Row37& row : rows) {
    INFO(row.why);
    std::vector<json> devices;
    const int count = row.more.empty() ? 8 : 1;
    for (int i = 0; i < count; ++i)
      devices.push_back(Resources("dev-" + std::to_string(i), row.resources, row.more));
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k137));
    worker.Node("n", json::object(), Room("8", "8Gi")).On("n", devices);
    worker.Template("t", {Request("r", row.devices, row.request)});
    const auto judgement = worker.Judge({worker.Parse(row.pod.c_str(), row.pods)});
    INFO(First(judgement));
    CHECK(judgement.verdict.pods_fitting == row.fitting);
  }
}

TEST_CASE("1.37: a capacity of a device that is allocated as a whole is an error") {
  const json by_cores = {
      {"cpu", {{"mapping", {{"capacityKey", "cores"}, {"capacityMultiplier", "2"}}}}}};
  Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k137));
  worker.Node("n", json::object(), Room("8", "8Gi"));
  worker.On("n", {Resources("a", by_cores, {{"capacity", {{"cores", {{"value", "4"}}}}}})});
  worker.Template("t", {Request("r")});
  const auto judgement = worker.Judge({worker.Parse(Using(1).c_str())});
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK_THAT(First(judgement),
             ContainsSubstring("ConsumedCapacity is nil, but Capacity key 'cores' "
                               "is set in NodeAllocatableResources"));
}

json Allocated(const json& reserved) {
  json claim = Claim("shared", {Request("r")});
  const json result = {{"request", "r"}, {"driver", kDriver}, {"pool", "n"}, {"device", "a"}};
  claim["status"]["allocation"] = {{"allocationTimestamp", "2026-11-21T16:00:00Z"},
                                   {"devices", {{"results", json::array({result})}}}};
  claim["status"]["reservedFor"] = reserved;
  return claim;
}

TEST_CASE("1.37: a claim with a mapping is for one pod, one with overhead for all") {
  const std::string pod = Using(2, R"("resourceClaimName": "shared")");
  const json another = json::array({{{"uid", "another-pod"}}});
  const auto judge = [&](const json& resources, const json& claim, int pods, const char* cpus) {
    Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k137));
    worker.Node("n", json::object(), Room(cpus, "8Gi")).On("n", {Resources("a", resources)});
    worker.Add(claim);
    return worker.Judge({worker.Parse(pod.c_str(), pods)}).verdict.pods_fitting;
  };
  const json free = Claim("shared", {Request("r")});
  CHECK(judge(kTwoCpusMapped, free, 2, "8") == 1);
  CHECK(judge(kOverhead, free, 5, "8") == 4);
  CHECK(judge(kTwoCpusMapped, Allocated(another), 1, "8") == 0);
  CHECK(judge(kOverhead, Allocated(another), 5, "8") == 4);
  // Allocated for no pod: what it maps counts for the pod that takes it.
  CHECK(judge(kTwoCpusMapped, Allocated(json::array()), 1, "2") == 1);
  CHECK(judge(kTwoCpusMapped, Allocated(json::array()), 1, "1") == 0);
}

TEST_CASE("1.37: what the pod asks for as a whole covers its devices") {
  Worker worker(dra::FeaturesOf(cel::KubernetesRelease::k137));
  worker.Node("n", json::object(), Room("8", "8Gi")).On("n", {Resources("a", kTwoCpusMapped)});
  worker.Template("t", {Request("r")});
  CHECK(worker.Judge({worker.Parse(Pod("{}", R"({"requests": {"cpu": "1"}})").c_str())})
            .verdict.outcome == Outcome::kNo);
  CHECK(worker.Judge({worker.Parse(Pod("{}", R"({"requests": {"cpu": "2"}})").c_str())})
            .verdict.outcome == Outcome::kYes);
}

}  // namespace
}  // namespace fedra::test::node_share_test
