#include "tests/unit/manager/support/verdict_cases.h"

#include <algorithm>
#include <iterator>

#include "manager/tracking/kueue_api.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::verdict_cases {
namespace {

using nlohmann::json;

constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";
constexpr const char* kKueuesOrigin = "multikueue";  // the default of multiKueue.origin

json DevicesWanted(int count) {
  return {{"devices",
           {{"requests", json::array({{{"name", "gpu"},
                                       {"exactly",
                                        {{"deviceClassName", "gpu.example.com"},
                                         {"allocationMode", "ExactCount"},
                                         {"count", count}}}}})}}}};
}

json Template(const char* name, int count) {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", name}, {"namespace", "ml"}}},
          {"spec", {{"spec", DevicesWanted(count)}}}};
}

void Replace(sim::Server& server, const char* plural, const ObjectKey& key, const json& object) {
  (void)server.objects().Delete(plural, key);
  REQUIRE(server.objects().Create(object));
}

// It says itself that its users belong together.
void AddNamedClaim(sim::Server& worker) {
  REQUIRE(worker.objects().Create(
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "ResourceClaim"},
       {"metadata",
        {{"name", "shared"},
         {"namespace", "ml"},
         {"annotations", {{std::string(tracking::kSharedAnnotation), "RequireTogether"}}}}},
       {"spec", DevicesWanted(1)}}));
}

// Allocates gpu-3 of node-1 to it, for another job's pod.
void AllocateNamedClaim(sim::Server& worker) {
  const json result = {
      {"request", "gpu"}, {"driver", "gpu.example.com"}, {"pool", "node-1"}, {"device", "gpu-3"}};
  const json on_node = {
      {"key", "metadata.name"}, {"operator", "In"}, {"values", json::array({"node-1"})}};
  const json terms = json::array({{{"matchFields", json::array({on_node})}}});
  const json allocation = {{"allocationTimestamp", "2026-11-21T16:00:00Z"},
                           {"devices", {{"results", json::array({result})}}},
                           {"nodeSelector", {{"nodeSelectorTerms", terms}}}};
  const json user = {{"resource", "pods"}, {"name", "served"}, {"uid", "another-pod"}};
  REQUIRE(worker.objects().Patch(
      "resourceclaims", {"ml", "shared"},
      {{"status", {{"allocation", allocation}, {"reservedFor", json::array({user})}}}}, "status"));
}

// Leaves no device free.
void AllocateAll(sim::Server& worker) { reconcile::AddClaimInUse(worker, {"ml", "all"}, 4); }

// The ClusterQueue of the jobs can never admit a pod that asks for cpu.
void AllowNoCpu(sim::Server& worker) {
  const json cpu = json::array({{{"name", "cpu"}, {"nominalQuota", "0"}}});
  const json flavors = json::array({{{"name", "default"}, {"resources", cpu}}});
  const json group = {{"coveredResources", json::array({"cpu"})}, {"flavors", flavors}};
  REQUIRE(worker.objects().Patch("clusterqueues", {"", "gpu"},
                                 {{"spec", {{"resourceGroups", json::array({group})}}}}));
}

// When a user deletes it, it stays there.
void Keep(json& job) { job["metadata"]["finalizers"] = json::array({"example.com/stays"}); }

// A job of the name of ours, made by the fedra of this origin and management cluster; empty: by
// none.
void PutJob(sim::Server& worker, const std::string& origin, const std::string& made_by,
            bool stays = false) {
  json job = sim::MakeJob(kJob);
  if (stays) Keep(job);
  if (!made_by.empty()) {
    job["metadata"]["labels"][std::string(tracking::kOriginLabel)] = origin;
    job["metadata"]["annotations"] = {{std::string(tracking::kWorkloadUidAnnotation), "earlier"},
                                      {std::string(tracking::kManagerUidAnnotation), made_by}};
  }
  REQUIRE(worker.objects().Create(job));
}

// Ours, of an earlier incarnation, which has ended and stays.
void PutEndedJob(sim::Server& worker, const Identity& us) {
  PutJob(worker, us.origin, us.manager, /*stays=*/true);
  const json ended = json::parse(R"({"startTime": "2026-06-01T00:00:00Z", "conditions": [
      {"type": "FailureTarget", "status": "True"}, {"type": "Failed", "status": "True"}]})");
  REQUIRE(worker.objects().Patch("jobs", {"ml", kJob}, {{"status", ended}}, "status"));
}

// One of the name that the first pod of a group has, made by another fedra.
void PutPod(sim::Server& worker) {
  const json container = {{"name", "c"}, {"image", "i"}};
  REQUIRE(
      worker.objects().Create({{"apiVersion", "v1"},
                               {"kind", "Pod"},
                               {"metadata",
                                {{"name", std::string(kJob) + "-0"},
                                 {"namespace", "ml"},
                                 {"labels", {{std::string(tracking::kOriginLabel), "another"}}}}},
                               {"spec", {{"containers", json::array({container})}}}}));
}

// The same of Kueue's own MultiKueue, for an earlier Workload.
void PutKueuesJob(sim::Server& worker) {
  json job = sim::MakeJob(kJob);
  Keep(job);
  json& labels = job["metadata"]["labels"];
  labels[std::string(tracking::kOriginLabel)] = kKueuesOrigin;
  labels[std::string(tracking::kPrebuiltWorkload)] = "job-train-earlier";
  REQUIRE(worker.objects().Create(job));
}

// As Kueue has them for MultiKueue. In mode multikueue fedra keeps their conditions.
void AddWorkerClusters(sim::Server& manager) {
  const json active = {{"type", "Active"},
                       {"status", "True"},
                       {"reason", "Active"},
                       {"message", "Connected"},
                       {"lastTransitionTime", "2026-11-21T16:00:00Z"}};
  json names = json::array();
  for (const ClusterCase& row : Clusters()) {
    names.push_back(row.name);
    REQUIRE(manager.objects().Create({{"apiVersion", kKueue},
                                      {"kind", "MultiKueueCluster"},
                                      {"metadata", {{"name", row.name}}},
                                      {"spec", json::object()}}));
    REQUIRE(manager.objects().Patch("multikueueclusters", {"", row.name},
                                    {{"status", {{"conditions", json::array({active})}}}},
                                    "status"));
  }
  REQUIRE(manager.objects().Create({{"apiVersion", kKueue},
                                    {"kind", "MultiKueueConfig"},
                                    {"metadata", {{"name", "all"}}},
                                    {"spec", {{"clusters", names}}}}));
  const json parameters = {
      {"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "all"}};
  Replace(manager, "admissionchecks", {"", "fedra"},
          {{"apiVersion", kKueue},
           {"kind", "AdmissionCheck"},
           {"metadata", {{"name", "fedra"}}},
           {"spec",
            {{"controllerName", std::string(tracking::kMultiKueueController)},
             {"parameters", parameters}}}});
}

}  // namespace

void GiveRights(sim::Server& server, const std::string& denied) {
  sim::User reader{.name = kReader,
                   .groups = {},
                   .token = kReader,
                   .allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}},
                   .deny = {}};
  if (!denied.empty())
    reader.deny.push_back({.verbs = {"*"}, .groups = {"*"}, .resources = {denied}});
  server.SetUser(std::move(reader));
}

void Furnish(sim::Server& worker) {
  sim::Furnish(worker, /*manager=*/false);
  reconcile::ActivateQueue(worker);
  GiveRights(worker, "");
  reconcile::AddDevices(worker, 4);
  REQUIRE(worker.objects().Patch("deviceclasses", {"", "gpu.example.com"},
                                 {{"spec", {{"extendedResourceName", "example.com/gpu"}}}}));
  Replace(worker, "resourceclaimtemplates", {"ml", "one-gpu"}, Template("one-gpu", 1));
  Replace(worker, "resourceclaimtemplates", {"ml", "all-gpus"}, Template("all-gpus", 4));
  AddNamedClaim(worker);
}

void FurnishManager(sim::Server& manager, Mode mode) {
  sim::Furnish(manager, /*manager=*/true);
  if (mode != Mode::kAdmissionCheck) AddWorkerClusters(manager);
  Replace(manager, "resourceclaimtemplates", {"ml", "one-gpu"}, Template("one-gpu", 1));
}

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<ClusterCase> Clusters() {
  using sim::Server;
  const auto remove = [](const char* plural, const ObjectKey& key) {
    return [=](Server& worker, const Identity&) { REQUIRE(worker.objects().Delete(plural, key)); };
  };
  const auto deny = [](const char* resource) {
    return [=](Server& worker, const Identity&) { GiveRights(worker, resource); };
  };
  return {
      {"complete",
       [](Server& worker, const Identity&) {
         AllocateNamedClaim(worker);
         REQUIRE(
             worker.objects().Create({{"apiVersion", "v1"},
                                      {"kind", "ConfigMap"},
                                      {"metadata", {{"name", "settings"}, {"namespace", "ml"}}}}));
       },
       {"Yes"}},
      {"another-template",
       [](Server& worker, const Identity&) {
         Replace(worker, "resourceclaimtemplates", {"ml", "one-gpu"}, Template("one-gpu", 2));
       },
       {"Yes", "TemplateDrift"}},
      {"without-kueue",
       [](Server& worker, const Identity&) {
         sim::Faults faults;
         faults.not_served = {"kueue.x-k8s.io/v1beta2"};
         worker.SetFaults(faults);
       },
       {"No", "ApiMissing"}},
      {"another-managers-copy",
       [](Server& worker, const Identity& us) { PutJob(worker, us.origin, "another-cluster"); },
       {"No", "NameConflict"},
       // Kueue looks at the origin alone.
       {{Mode::kDispatcher, {"Yes"}}}},
      {"kueues-copy",
       [](Server& worker, const Identity&) { PutKueuesJob(worker); },
       {"No", "NameConflict"},
       {{Mode::kMultiKueue, {"Yes"}}, {Mode::kDispatcher, {"Yes"}}}},
      {"our-earlier-copy",
       [](Server& worker, const Identity& us) {
         PutJob(worker, us.origin, us.manager, /*stays=*/true);
       },
       {"Yes"}},
      // Its devices are its own: it is not asked whether they are free.
      {"our-earlier-copy-on-all-devices",
       [](Server& worker, const Identity& us) {
         PutJob(worker, us.origin, us.manager, /*stays=*/true);
         AllocateAll(worker);
       },
       {"Yes"}},
      // One that has ended has none: its successor is asked.
      {"our-ended-copy-no-device-free",
       [](Server& worker, const Identity& us) {
         PutEndedJob(worker, us);
         AllocateAll(worker);
       },
       {"No", "DevicesAllocated"}},
      {"no-device-free",
       [](Server& worker, const Identity&) { AllocateAll(worker); },
       {"No", "DevicesAllocated"}},
      {"no-quota-for-cpu",  // which the job "cpu" asks for
       [](Server& worker, const Identity&) { AllowNoCpu(worker); },
       {"Yes"}},
      // A claim that is allocated there keeps no job there.
      {"claim-allocated-workloads-denied",
       [](Server& worker, const Identity&) {
         AllocateNamedClaim(worker);
         GiveRights(worker, "workloads");
       },
       {"Unknown", "Forbidden"}},
      {"everything-denied",
       [](Server& worker, const Identity&) {
         worker.SetUser({.name = kReader, .groups = {}, .token = kReader, .allow = {}, .deny = {}});
       },
       {"Unknown", "Forbidden", "Forbidden", "Forbidden", "Forbidden", "Forbidden"}},
      {"somebodys-job",
       [](Server& worker, const Identity&) { PutJob(worker, "", ""); },
       {"No", "NameConflict"}},
      {"pod-in-the-way", [](Server& worker, const Identity&) { PutPod(worker); }, {"Yes"}},
      {"workloads-denied", deny("workloads"), {"Unknown", "Forbidden"}},
      {"jobs-denied", deny("jobs"), {"Unknown", "Forbidden"}},
      {"slices-denied", deny("resourceslices"), {"Unknown", "Forbidden"}},
      {"no-queue", remove("localqueues", {"ml", "gpu"}), {"No", "QueueMissing"}},
      {"no-template",
       remove("resourceclaimtemplates", {"ml", "one-gpu"}),
       {"No", "TemplateMissing"}},
      {"no-class", remove("deviceclasses", {"", "gpu.example.com"}), {"No", "DeviceClassMissing"}},
      {"no-devices", remove("resourceslices", {"", "slice-1"}), {"No", "DriverMissing"}},
      // KEP-5517: each device takes more cpu than the node has. The job's container must use the
      // claim for it, which it does not: the node is out already for that.
      {"devices-take-cpu",
       [](Server& worker, const Identity&) {
         const json slice = *worker.objects().Get("resourceslices", {"", "slice-1"});
         json devices = slice["spec"]["devices"];
         for (json& device : devices)
           device["nodeAllocatableResourceMappings"]["cpu"]["allocationMultiplier"] = "16";
         REQUIRE(worker.objects().Patch("resourceslices", {"", "slice-1"},
                                        {{"spec", {{"devices", devices}}}}));
       },
       {"No", "NodeMismatch"}},
      {"no-queue-no-devices",
       [](Server& worker, const Identity&) {
         REQUIRE(worker.objects().Delete("localqueues", {"ml", "gpu"}));
         REQUIRE(worker.objects().Delete("resourceslices", {"", "slice-1"}));
       },
       {"No", "QueueMissing", "DriverMissing"}},
  };
}

namespace {

const char* const kClaim =
    R"({"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})";

json Pod(const char* more) {
  json spec = {{"restartPolicy", "Never"},
               {"containers", json::array({{{"name", "c"}, {"image", "i"}}})}};
  spec.update(json::parse(more));
  return spec;
}

std::vector<JobCase> BarePods() {
  return {
      {"a pod by itself", {Pod(kClaim)}, {"Yes"}, {"Yes", "TemplateDrift"}, Form::kPod, {"Yes"}},
      {"a group of pods",
       {Pod(kClaim), Pod(kClaim), Pod("{}")},
       {"Yes"},
       {"Yes", "TemplateDrift"},
       Form::kGroup,
       {"No", "NameConflict"}},
      // Each of them alone would fit.
      {"a group of pods that want more devices than are free",
       {Pod(kClaim), Pod(kClaim), Pod(kClaim), Pod(kClaim)},
       {"No", "DevicesAllocated", "PodsDoNotFit"},
       {},
       Form::kGroup},
  };
}

std::vector<JobCase> BatchJobs() {
  const char* const used_claim =
      R"({"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}],
          "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}]})";
  return {
      {"a template", {Pod(kClaim)}, {"Yes"}, {"Yes", "TemplateDrift"}},
      {"a template that a container uses", {Pod(used_claim)}, {"Yes"}, {"Yes", "TemplateDrift"}},
      {"more devices than are free",
       {Pod(R"({"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "all-gpus"}]})")},
       {"No", "DevicesAllocated"},
       {"Yes"}},
      {"a named claim",
       {Pod(R"({"resourceClaims": [{"name": "g", "resourceClaimName": "shared"}]})")},
       {"Yes"},
       {"No", "ClaimElsewhere"}},
      {"two pod sets", {Pod("{}"), Pod(kClaim)}, {"Yes"}, {"Yes", "TemplateDrift"}},
      {"a ConfigMap",
       {Pod(R"({"volumes": [{"name": "v", "configMap": {"name": "settings"}}]})")},
       {"Yes"},
       {"No", "DependencyMissing"}},
      {"another scheduler",
       {Pod(R"({"schedulerName": "volcano",
                "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})")},
       {"Unknown", "SchedulerUnverified"},
       {"Unknown", "SchedulerUnverified", "TemplateDrift"}},
      {"an extended resource",
       {Pod(R"({"containers": [{"name": "c", "image": "i", "resources": {
                "requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}}]})")},
       {"Yes"},
       {"Yes"}},
      {"cpu",
       {Pod(R"({"containers": [{"name": "c", "image": "i",
                                "resources": {"requests": {"cpu": "100m"}}}]})")},
       {"Yes"},
       {"Yes"}},
      {"no devices", {Pod("{}")}, {"Yes"}, {"Yes"}},
  };
}

}  // namespace

std::vector<JobCase> Jobs(Mode mode) {
  std::vector<JobCase> jobs = BatchJobs();
  // What differs by mode is the same for every kind.
  if (mode == Mode::kAdmissionCheck) std::ranges::move(BarePods(), std::back_inserter(jobs));
  return jobs;
}

}  // namespace fedra::verdict_cases
