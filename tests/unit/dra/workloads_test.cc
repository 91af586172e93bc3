// The rows of the table of workloads that must be placed correctly (S, N, E), each on the clusters
// that tell a right answer from a plausible one. tests/scenarios/rows has them end to end.

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::workloads_test {
namespace {

using verdict::Outcome;

constexpr const char* kGpu = "gpu.example.com";
constexpr const char* kNic = "nic.example.com";

json Gpu(const std::string& name, const json& attributes, const std::string& memory = "80Gi") {
  return Device(name, attributes, {{"capacity", {{"memory", {{"value", memory}}}}}});
}

std::string MemoryOf(const char* size) {
  return std::string(R"(device.capacity["gpu.example.com"].memory == quantity(")") + size + R"("))";
}

// A slice of `driver` on `node`.
json Of(const std::string& driver, const std::string& node) {
  return {{"driver", driver}, {"pool", {{"name", node}}}};
}

TEST_CASE("S1, E2: the first alternative that fits, per cluster") {
  const auto alternatives = FirstAvailable(
      "gpu", {Request("big", 1, {{"selectors", Cel({MemoryOf("80Gi")})}}), Request("two", 2)});
  Worker big, small, none;
  for (Worker* worker : {&big, &small, &none}) worker->Node("n1").Template("t", {alternatives});
  big.On("n1", {Gpu("a", json::object())});
  small.On("n1", {Gpu("a", json::object(), "40Gi"), Gpu("b", json::object(), "40Gi")});
  none.On("n1", {Gpu("a", json::object(), "40Gi")});
  CHECK(big.Pods(1, "t").verdict.alternatives == std::vector<int>{0});
  CHECK(small.Pods(1, "t").verdict.alternatives == std::vector<int>{1});
  const auto judgement = none.Pods(1, "t");
  CHECK(judgement.verdict.outcome == Outcome::kNo);
  CHECK(judgement.pod_sets[0].requests.size() == 2);  // both alternatives are explained
}

TEST_CASE("S2, E7: devices with binding conditions are taken last") {
  Worker worker;
  worker.Node("n1");
  json gated = Device("gated");
  gated["bindingConditions"] = {"ready"};
  gated["bindingFailureConditions"] = {"failed"};
  worker.On("n1", {gated}, {{"pool", {{"name", "a-first-by-name"}}}});
  worker.On("n1", {Device("plain")}, {{"pool", {{"name", "z-last-by-name"}}}});
  worker.Template("t", {Request("r")});
  dra::PodDemand demand;
  demand.claims = {{.pod_claim = "d", .template_name = "t", .claim_name = ""}};
  dra::JudgeOptions options;
  options.name_devices = true;
  const auto judgement = worker.Judge({demand}, options);
  CHECK(judgement.pod_sets[0].devices[0][0].device == "plain");
  demand.count = 2;
  CHECK(worker.Judge({demand}).verdict.outcome == Outcome::kYes);
}

TEST_CASE("S6: GPU and NIC free, but on different PCIe roots") {
  Worker aligned, crossed;
  for (Worker* worker : {&aligned, &crossed}) {
    worker->AddClass(Class("nic", {R"(device.driver == "nic.example.com")"})).Node("n1");
    worker->Template("t", {Request("gpu", 1), Request("nic", 1, {{"deviceClassName", "nic"}})},
                     {Match("resource.kubernetes.io/pcieRoot", {"gpu", "nic"})});
    worker->On("n1", {Device("g", {{"resource.kubernetes.io/pcieRoot", "p0"}})}, Of(kGpu, "n1"));
  }
  aligned.On("n1",
             {Device("x", {{"resource.kubernetes.io/pcieRoot", "p1"}}),
              Device("y", {{"resource.kubernetes.io/pcieRoot", "p0"}})},
             Of(kNic, "n1"));
  crossed.On("n1", {Device("x", {{"resource.kubernetes.io/pcieRoot", "p1"}})}, Of(kNic, "n1"));
  CHECK(aligned.Pods(1, "t").verdict.outcome == Outcome::kYes);
  const auto judgement = crossed.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kConstraintUnsatisfied);
  CHECK_THAT(First(judgement), ContainsSubstring("resource.kubernetes.io/pcieRoot"));
}

TEST_CASE("S7, S8: all chips of a node, none allocated, at least one") {
  Worker free, taken, empty;
  for (Worker* worker : {&free, &taken, &empty}) worker->Node("n1").Template("t", {All("chips")});
  free.On("n1", Devices(4));
  taken.On("n1", Devices(4)).Add(Holding("other", "gpu-2", {{"pool", "n1"}}));
  empty.On("n1", Devices(1), {{"driver", kNic}});
  CHECK(free.Pods(1, "t").verdict.outcome == Outcome::kYes);
  CHECK(free.Pods(2, "t").verdict.pods_fitting == 1);
  const auto judgement = taken.Pods(1, "t");
  CHECK(Code(judgement) == ReasonCode::kDevicesAllocated);
  CHECK_THAT(First(judgement), ContainsSubstring("wants all devices"));
  CHECK_THAT(First(judgement), ContainsSubstring("1 allocated (other/other), 3 free"));
  CHECK(Code(empty.Pods(1, "t")) == ReasonCode::kDriverMissing);
}

TEST_CASE("N4: four profiles of one parent; a fifth replica finds profiles but no parent") {
  Worker worker;
  worker.Node("n1");
  std::vector<json> devices;
  for (int gpu = 0; gpu < 2; ++gpu)
    for (const char* profile : {"1g", "1g", "2g", "3g"})
      devices.push_back(
          Device("d" + std::to_string(devices.size()),
                 {{"profile", profile}, {"parentUUID", "gpu-" + std::to_string(gpu)}}));
  // Each profile is there once more, but not under one parent.
  for (const char* profile : {"1g", "1g", "2g", "3g"})
    devices.push_back(
        Device("d" + std::to_string(devices.size()),
               {{"profile", profile}, {"parentUUID", "odd-" + std::to_string(devices.size())}}));
  worker.On("n1", devices);
  const auto profile = [](const char* name, const char* value) {
    return Request(
        name, 1,
        {{"selectors", Cel({std::string(R"(device.attributes["gpu.example.com"].profile == ")") +
                            value + "\""})}});
  };
  worker.Template("t",
                  {profile("a", "1g"), profile("b", "1g"), profile("c", "2g"), profile("d", "3g")},
                  {Match("gpu.example.com/parentUUID")});
  CHECK(worker.Pods(2, "t").verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Pods(3, "t");
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kConstraintUnsatisfied);
}

TEST_CASE("N8: a constraint within one request of two devices") {
  Worker worker;
  worker.Node("n1");
  worker.On("n1", {Device("a", {{"partition2", 1}}), Device("b", {{"partition2", 2}}),
                   Device("c", {{"partition2", 3}}), Device("d", {{"partition2", 2}})});
  worker.Template("t", {Request("pair", 2)}, {Match("gpu.example.com/partition2")});
  CHECK(worker.Pods(1, "t").verdict.outcome == Outcome::kYes);
  CHECK(worker.Pods(2, "t").verdict.pods_fitting == 1);
}

TEST_CASE("N9, E5: shares of one GPU, rounded by its policy, beside a whole one") {
  Worker worker;
  worker.Node("n1");
  const json policy = {{"default", "80Gi"}, {"validRange", {{"min", "1Gi"}, {"step", "10Gi"}}}};
  worker.On("n1",
            {Device("shared", json::object(),
                    {{"allowMultipleAllocations", true},
                     {"capacity", {{"memory", {{"value", "80Gi"}, {"requestPolicy", policy}}}}}})});
  // 30Gi become 31Gi: two fit, not two and a half.
  worker.Template("t", {Request("r", 1, {{"capacity", {{"requests", {{"memory", "30Gi"}}}}}})});
  CHECK(worker.Pods(2, "t").verdict.outcome == Outcome::kYes);
  const auto judgement = worker.Pods(3, "t");
  CHECK(judgement.verdict.pods_fitting == 2);
  CHECK(judgement.verdict.reasons[1].code == ReasonCode::kCapacityExhausted);
  worker.Template("distinct",
                  {Request("a", 1, {{"capacity", {{"requests", {{"memory", "1Gi"}}}}}}),
                   Request("b", 1, {{"capacity", {{"requests", {{"memory", "1Gi"}}}}}})},
                  {Distinct("gpu.example.com/uuid")});
  CHECK(worker.Pods(1, "distinct").verdict.outcome == Outcome::kNo);
}

TEST_CASE("N10: of two classes with one resource name the newer counts") {
  Worker worker;
  json old_class = Class("old", {R"(device.driver == "nowhere.example.com")"});
  json new_class = Class("new");
  old_class["spec"]["extendedResourceName"] = "example.com/gpu";
  new_class["spec"]["extendedResourceName"] = "example.com/gpu";
  old_class["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  new_class["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z";
  worker.AddClass(old_class).AddClass(new_class).Node("n1").On("n1", Devices(1));
  const char* pod =
      R"({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}]}})";
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == Outcome::kYes);
  old_class["metadata"]["creationTimestamp"] = "2026-03-01T00:00:00Z";
  worker.AddClass(old_class);
  CHECK(worker.Judge({worker.Parse(pod)}).verdict.outcome == Outcome::kNo);
}

TEST_CASE("N10, N2: init containers reuse what long-running ones will get") {
  Worker worker;
  json mapped = Class("gpu");
  mapped["spec"]["extendedResourceName"] = "example.com/gpu";
  worker.AddClass(mapped).Node("n1").On("n1", Devices(2));
  const auto pod = [](const char* init, const char* policy) {
    return std::string(
               R"({"spec": {"initContainers": [{"resources": {"requests": {"example.com/gpu": ")") +
           init + R"("}})" + policy +
           R"(}], "containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}]}})";
  };
  CHECK(worker.Judge({worker.Parse(pod("2", "").c_str())}).verdict.outcome == Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod("3", "").c_str())}).verdict.outcome == Outcome::kNo);
  const char* sidecar = R"(, "restartPolicy": "Always")";
  CHECK(worker.Judge({worker.Parse(pod("1", sidecar).c_str())}).verdict.outcome == Outcome::kYes);
  CHECK(worker.Judge({worker.Parse(pod("2", sidecar).c_str())}).verdict.outcome == Outcome::kNo);
}

dra::PodGroup GroupWith(const std::string& template_name, const std::string& generated = "") {
  return {.key = {"ml", "gang"}, .claims = {{"d", template_name, generated}}};
}

TEST_CASE(
    "E9: one claim for the whole PodGroup where the worker has such claims, else one per pod") {
  const auto group = GroupWith("two");
  for (const bool supported : {true, false}) {
    dra::AllocatorFeatures features;
    features.workload_claims = supported;
    Worker worker(features);
    worker.Node("n1").On("n1", Devices(3)).Template("two", {Request("r", 2)});
    auto demand = worker.Parse(R"({"spec": {"schedulingGroup": {"podGroupName": "gang"},
        "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "two"}]}})",
                               4);
    CHECK(worker.Judge({demand}).verdict.pods_fitting == 1);
    dra::ShareWithPodGroup(group, demand);
    CHECK(worker.Judge({demand}).verdict.pods_fitting == (supported ? 4 : 1));
  }
}

TEST_CASE("E9: only the same entry of the pods' own group is shared") {
  dra::PodDemand demand;
  demand.pod_group = "gang";
  demand.claims = {{.pod_claim = "d", .template_name = "two", .claim_name = ""}};
  const auto shares = [&](const dra::PodGroup& group, dra::PodDemand pods) {
    dra::ShareWithPodGroup(group, pods);
    return !pods.claims[0].pod_group.empty();
  };
  CHECK(shares(GroupWith("two"), demand));
  CHECK_FALSE(shares(GroupWith("three"), demand));
  demand.claims[0].pod_claim = "e";
  CHECK_FALSE(shares(GroupWith("two"), demand));
  demand.claims[0].pod_claim = "d";
  demand.pod_group = "another";
  CHECK_FALSE(shares(GroupWith("two"), demand));
  demand.pod_group = "gang";
  demand.claims[0] = {.pod_claim = "d", .template_name = "", .claim_name = "two"};
  CHECK_FALSE(shares(GroupWith("two"), demand));
}

TEST_CASE("E9: a group's claim that is allocated already holds its pods to its devices") {
  dra::AllocatorFeatures features;
  features.workload_claims = true;
  Worker worker(features);
  worker.Node("n1").On("n1", Devices(1)).Node("n2").On("n2", Devices(1));
  worker.Template("one", {Request("r")});
  const auto pods_on = [&](const char* generated) {
    auto demand = worker.Parse(R"({"spec": {"schedulingGroup": {"podGroupName": "gang"},
        "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}})",
                               2);
    dra::ShareWithPodGroup(GroupWith("one", generated), demand);
    return worker.Judge({demand});
  };
  CHECK(pods_on("").pod_sets[0].nodes == std::vector<std::string>{"n1", "n1"});
  json claim = Holding("gang-d-x7", "gpu-0", {{"pool", "n2"}});
  claim["metadata"]["namespace"] = "ml";
  claim["status"]["allocation"]["allocationTimestamp"] = "2026-01-01T00:00:00Z";
  claim["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"] = json::array(
      {{{"matchFields",
         json::array(
             {{{"key", "metadata.name"}, {"operator", "In"}, {"values", json::array({"n2"})}}})}}});
  worker.Add(claim);
  CHECK(pods_on("gang-d-x7").pod_sets[0].nodes == std::vector<std::string>{"n2", "n2"});
  // One that is gone is made anew, and n2's device is taken.
  CHECK(pods_on("gone").pod_sets[0].nodes == std::vector<std::string>{"n1", "n1"});
}

TEST_CASE("a PodGroup is read with what was made for it, and nonsense is an error") {
  const auto group = dra::ParsePodGroup(json::parse(R"({
      "metadata": {"namespace": "ml", "name": "gang"},
      "spec": {"resourceClaims": [{"name": "a", "resourceClaimTemplateName": "t"},
                                  {"name": "b", "resourceClaimName": "c"}]},
      "status": {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "gang-a-x"},
                                           {"name": "other", "resourceClaimName": "y"}]}})"));
  REQUIRE(group);
  CHECK(*group == dra::PodGroup{{"ml", "gang"}, {{"a", "t", "gang-a-x"}}});
  CHECK(group->min_count == 0);
  const auto gang = dra::ParsePodGroup(
      json::parse(R"({"spec": {"schedulingPolicy": {"gang": {"minCount": 4}}}})"));
  REQUIRE(gang);
  CHECK(gang->min_count == 4);
  CHECK_FALSE(dra::ParsePodGroup(json::parse(R"({"spec": {"resourceClaims": 7}})")));
}

TEST_CASE("E10: admin access takes no device") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(1)).Add(Holding("user", "gpu-0", {{"pool", "n1"}}));
  worker.Template("admin", {Request("r", 1, {{"adminAccess", true}})});
  worker.Template("normal", {Request("r")});
  CHECK(worker.Pods(5, "admin").verdict.outcome == Outcome::kYes);
  CHECK(worker.Pods(1, "normal").verdict.outcome == Outcome::kNo);
}

}  // namespace
}  // namespace fedra::test::workloads_test
