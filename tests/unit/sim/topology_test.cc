#include <string>
#include <utility>
#include <vector>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"

namespace fedra::sim::topology_test {
namespace {

constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";

// A flavor "plain", and one whose Topology has hosts only.
void AddFlavors(Objects& objects) {
  REQUIRE(objects.Create(
      {{"apiVersion", kKueue}, {"kind", "ResourceFlavor"}, {"metadata", {{"name", "plain"}}}}));
  REQUIRE(objects.Create({{"apiVersion", kKueue},
                          {"kind", "Topology"},
                          {"metadata", {{"name", "hosts"}}},
                          {"spec", {{"levels", {{{"nodeLabel", "kubernetes.io/hostname"}}}}}}}));
  REQUIRE(objects.Create(
      {{"apiVersion", kKueue},
       {"kind", "ResourceFlavor"},
       {"metadata", {{"name", "placed"}}},
       {"spec", {{"topologyName", "hosts"}, {"nodeLabels", {{"placed", "true"}}}}}}));
}

// The queue's flavor of cores, and that of memory.
void SetFlavors(Objects& objects, const std::string& cpu, const std::string& memory) {
  Json groups = Json::array();
  for (const auto& [resource, flavor] : {std::pair{"cpu", cpu}, std::pair{"memory", memory}}) {
    const Json quota = {{{"name", resource}, {"nominalQuota", "100G"}}};
    groups.push_back({{"coveredResources", {resource}},
                      {"flavors", {{{"name", flavor}, {"resources", quota}}}}});
  }
  REQUIRE(objects.Patch("clusterqueues", {"", "gpu"}, {{"spec", {{"resourceGroups", groups}}}}));
}

// `how`: "required" or "preferred"; empty: it asks for nothing.
Json Workload(const std::string& name, const std::string& how, const std::string& level) {
  Json pod = MakeJob(name)["spec"]["template"];
  pod["spec"].erase("resourceClaims");
  pod["spec"]["containers"][0]["resources"] = {{"requests", {{"cpu", "1"}, {"memory", "1Gi"}}}};
  Json pod_set = {{"name", "main"}, {"count", 2}, {"template", pod}};
  if (!how.empty()) pod_set["topologyRequest"][how] = level;
  return {{"apiVersion", kKueue},
          {"kind", "Workload"},
          {"metadata", {{"name", name}, {"namespace", "ml"}}},
          {"spec", {{"queueName", "gpu"}, {"podSets", {pod_set}}}}};
}

bool IsDecided(const Json& workload) {
  return workload.contains("status") &&
         FindCondition(workload["status"], "QuotaReserved") != nullptr;
}

}  // namespace

TEST_CASE("a flavor's topology is for those who ask for it, and where there is no other for all") {
  struct Row {
    std::string cpu, memory;  // flavors
    std::string how, level;   // is asked for
    bool placed;
    std::string refusal;
  };
  const std::string host = "kubernetes.io/hostname";
  const std::string cannot = "couldn't assign flavors to pod set main: Flavor ";
  const std::vector<Row> rows = {
      {"plain", "plain", "", "", false, ""},
      {"placed", "placed", "", "", true, ""},
      {"placed", "placed", "required", host, true, ""},
      {"placed", "placed", "preferred", host, true, ""},
      {"placed", "placed", "required", "rack", false,
       "\"placed\" does not contain the requested level"},
      {"plain", "plain", "preferred", host, false,
       "\"plain\" does not support TopologyAwareScheduling"},
      {"placed", "plain", "", "", false, "\"placed\" supports only TopologyAwareScheduling"},
  };
  Fleet fleet({.workers = {"worker1"}});
  Objects& worker = fleet.Find("worker1")->server.objects();
  AddFlavors(worker);
  REQUIRE(worker.WaitFor("localqueues", {"ml", "gpu"}, [](const Json& queue) {
    return queue.contains("status") && IsTrue(queue["status"], "Active");
  }));
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    INFO(i << ": " << row.cpu << " " << row.memory << " " << row.how << " " << row.level);
    SetFlavors(worker, row.cpu, row.memory);
    const ObjectKey key{"ml", "w" + std::to_string(i)};
    REQUIRE(worker.Create(Workload(key.name, row.how, row.level)));
    REQUIRE(worker.WaitFor("workloads", key, IsDecided));
    const Json status = (*worker.Get("workloads", key))["status"];
    const Json& quota = *FindCondition(status, "QuotaReserved");
    CHECK((quota["status"] == "True") == row.refusal.empty());
    if (!row.refusal.empty()) {
      CHECK(quota["message"] == cannot + row.refusal);
    } else {
      const Json& assignment = status["admission"]["podSetAssignments"][0];
      CHECK(assignment.contains("topologyAssignment") == row.placed);
      CHECK_FALSE(assignment.contains("delayedTopologyRequest"));
    }
  }
}

TEST_CASE("with a check of MultiKueue's the topology is the worker's to say") {
  Fleet fleet({.workers = {"worker1"}});
  Objects& manager = fleet.manager().server.objects();
  AddFlavors(manager);
  SetFlavors(manager, "placed", "placed");
  REQUIRE(manager.Create({{"apiVersion", kKueue},
                          {"kind", "AdmissionCheck"},
                          {"metadata", {{"name", "mk"}}},
                          {"spec", {{"controllerName", "kueue.x-k8s.io/multikueue"}}}}));
  Json active = Json::object();
  SetCondition(active, {"Active", true, "Active", ""}, 1);
  REQUIRE(manager.Patch("admissionchecks", {"", "mk"}, {{"status", active}}, "status"));
  const Json checks = {{"admissionChecks", {{{"name", "mk"}}}}};
  REQUIRE(manager.Patch("clusterqueues", {"", "gpu"},
                        {{"spec", {{"admissionChecksStrategy", checks}}}}));
  REQUIRE(manager.Create(Workload("train", "", "")));
  REQUIRE(manager.WaitFor("workloads", {"ml", "train"}, [](const Json& workload) {
    return workload.contains("status") && IsTrue(workload["status"], "QuotaReserved");
  }));
  const Json status = (*manager.Get("workloads", {"ml", "train"}))["status"];
  CHECK(status["admission"]["podSetAssignments"][0]["delayedTopologyRequest"] == "Pending");
  CHECK_FALSE(status["admission"]["podSetAssignments"][0].contains("topologyAssignment"));
}

}  // namespace fedra::sim::topology_test
