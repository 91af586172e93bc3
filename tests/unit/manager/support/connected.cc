#include "tests/unit/manager/support/connected.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"

namespace fedra::reconcile {
namespace {

using nlohmann::json;

ClusterOptions Quick(const ConnectedOptions& connected) {
  ClusterOptions options;
  options.discover_groups = {"batch", "jobset.x-k8s.io", "kueue.x-k8s.io", "resource.k8s.io",
                             "scheduling.k8s.io"};
  if (connected.kinds->FindName("Pod") != nullptr) options.discover_groups.emplace_back();
  if (connected.serves_kubeflow) options.discover_groups.emplace_back("kubeflow.org");
  if (connected.kinds->FindName("LeaderWorkerSet") != nullptr)
    options.discover_groups.emplace_back("leaderworkerset.x-k8s.io");
  options.probe_interval = std::chrono::milliseconds(500);
  return options;
}

}  // namespace

Connected::Connected(const ConnectedOptions& options, const Clock& clock)
    : manager_server_({.job_kinds = options.serves_kubeflow}) {
  sim::Furnish(manager_server_, /*manager=*/true);
  manager_ = std::make_unique<ManagerCluster>(
      ClusterSettings{ClusterName("manager"), AccessTo(manager_server_), std::nullopt,
                      Quick(options)},
      options.kinds, threads_.loop, threads_.pool, clock, ListenToManager());
  for (const std::string& name : options.workers) {
    sim::ServerOptions server = options.server;
    server.name = name;
    server.job_kinds |= options.serves_kubeflow;
    servers_.push_back(std::make_unique<sim::Server>(server));
    sim::Furnish(*servers_.back(), /*manager=*/false);
    ActivateQueue(*servers_.back());
    servers_.back()->SetFaults(options.faults);
    WorkerSettings settings;
    settings.cluster.name = ClusterName(name);
    settings.cluster.access = AccessTo(*servers_.back(), options.token);
    settings.cluster.options = Quick(options);
    settings.verified.kinds = options.kinds;
    settings.lost_since = options.lost_since;
    settings.keeps_rejected = options.keeps_rejected;
    if (options.devices) settings.verified.devices.emplace();
    workers_.push_back(std::make_shared<Worker>(std::move(settings), threads_.loop, threads_.pool,
                                                clock, ListenTo()));
  }
  set_.Publish(WorkerList(workers_));
}

Connected::~Connected() {
  for (const auto& worker : workers_) worker->Stop();
  manager_->Stop();
}

void Connected::Start() {
  manager_->Start();
  for (const auto& worker : workers_) worker->Start();
  // Not every list of the manager reports itself.
  REQUIRE(fedra::WaitUntil([this] {
    return manager_->lists().AreListed() && manager_->templates().cache().health().complete &&
           std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) {
             return worker->contact() == placement::Contact::kFull && worker->HasAnswered();
           });
  }));
}

bool Connected::WaitUntil(const std::function<bool()>& holds) {
  const auto ready = [&](int) { return holds(); };
  return told_.WaitFor(Stretched(std::chrono::seconds(10)), ready, ready);
}

int Connected::ToldOfJob(const ObjectKey& key) const {
  const tracking::JobKey job{"Job.batch", key};
  return jobs_.With([&](const auto& jobs) { return jobs.contains(job) ? jobs.at(job) : 0; });
}

int Connected::ToldOfWorkload(const ObjectKey& workload) const {
  return workloads_.With(
      [&](const auto& told) { return told.contains(workload) ? told.at(workload) : 0; });
}

void Connected::Told() {
  told_.With([](int& told) { ++told; });
  told_.Notify();
}

WorkerListener Connected::ListenTo() {
  return {.on_workload =
              [this](const ObjectKey& workload) {
                workloads_.With([&](auto& told) { ++told[workload]; });
                Told();
              },
          .on_job =
              [this](const tracking::JobKey& job) {
                jobs_.With([&](auto& jobs) { ++jobs[job]; });
                Told();
              },
          .on_progress = [this](const ObjectKey&) { Told(); },
          .on_input = [this](const Worker&, const InputChange&) { Told(); },
          .on_contact = [this](const Worker&) { Told(); }};
}

ManagerListener Connected::ListenToManager() {
  return {.on_kinds =
              [this](const std::vector<const tracking::JobAdapter*>& kinds) {
                for (const auto& worker : workers_) worker->kinds().Use(kinds);
              },
          .on_workload = [this](const ObjectKey&) { Told(); },
          .on_progress = [this](const ObjectKey&) { Told(); },
          .on_siblings = [this](const std::vector<ObjectKey>&) { Told(); },
          .on_checks =
              [this] {
                checks_.With([](int& told) { ++told; });
                Told();
              },
          .on_check_status = [this] { Told(); },
          .on_worker_cluster = [this](const std::string&) { Told(); },
          .on_kueue_reach = [this](const ClusterName&) { Told(); },
          .on_order =
              [this](const std::vector<ObjectKey>& workloads) {
                orders_.With(
                    [&](auto& told) { told.emplace_back(workloads.begin(), workloads.end()); });
                Told();
              },
          .on_queue_checks =
              [this](const std::vector<ObjectKey>& workloads) {
                queue_checks_.With(
                    [&](auto& told) { told.emplace_back(workloads.begin(), workloads.end()); });
                Told();
              },
          .on_template = [this](const ObjectKey&) { Told(); },
          .on_template_use = [this](const ObjectKey&) { Told(); },
          .on_templates_health = [this] { Told(); }};
}

void AddWaitingWorkload(sim::Server& manager, const ObjectKey& key, const json& pod,
                        const std::string& job_name, int pods) {
  const auto job = manager.objects().Create(sim::MakeJob(job_name));
  REQUIRE(job);
  json spec = {{"containers", json::array({{{"name", "c"}, {"image", "i"}}})}};
  spec.update(pod);
  const json owner = {{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"name", job_name},
                      {"uid", (*job)["metadata"]["uid"]},
                      {"controller", true}};
  const json pod_set = {{"name", "main"}, {"count", pods}, {"template", {{"spec", spec}}}};
  REQUIRE(manager.objects().Create(
      {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
       {"kind", "Workload"},
       {"metadata",
        {{"name", key.name}, {"namespace", key.ns}, {"ownerReferences", json::array({owner})}}},
       {"spec", {{"queueName", "gpu"}, {"podSets", json::array({pod_set})}}}}));
  json waiting = json::parse(R"({"status": {
    "admission": {"clusterQueue": "gpu", "podSetAssignments": [{"name": "main"}]},
    "admissionChecks": [{"name": "fedra", "state": "Pending", "message": ""}],
    "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                    "message": ""}]}})");
  for (const char* field : {"admissionChecks", "conditions"})
    waiting["status"][field][0]["lastTransitionTime"] = kReserved;
  const auto patched = manager.objects().Patch("workloads", key, waiting, "status");
  INFO((patched ? std::string() : patched.error().message));
  REQUIRE(patched);
}

void ActivateQueue(sim::Server& server) {
  const json active = json::parse(R"({"status": {"conditions": [
      {"type": "Active", "status": "True", "reason": "Ready", "message": "",
       "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})");
  REQUIRE(server.objects().Patch("localqueues", {"ml", "gpu"}, active, "status"));
}

void AddDevices(sim::Server& server, int devices) {
  json list = json::array();
  for (int i = 0; i < devices; ++i) list.push_back({{"name", fmt::format("gpu-{}", i)}});
  REQUIRE(server.objects().Create(
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "node-1"}}}}));
  REQUIRE(server.objects().Patch(
      "nodes", {"", "node-1"},
      {{"status", {{"allocatable", {{"cpu", "8"}, {"memory", "8Gi"}, {"pods", "110"}}}}}},
      "status"));
  REQUIRE(server.objects().Create(
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "ResourceSlice"},
       {"metadata", {{"name", "slice-1"}}},
       {"spec",
        {{"driver", "gpu.example.com"},
         {"nodeName", "node-1"},
         {"pool", {{"name", "node-1"}, {"generation", 1}, {"resourceSliceCount", 1}}},
         {"devices", list}}}}));
}

void AddClaimInUse(sim::Server& server, const ObjectKey& key, int devices) {
  const json request{{"name", "gpu"},
                     {"exactly", {{"deviceClassName", "gpu.example.com"}, {"count", devices}}}};
  REQUIRE(
      server.objects().Create({{"apiVersion", "resource.k8s.io/v1"},
                               {"kind", "ResourceClaim"},
                               {"metadata", {{"name", key.name}, {"namespace", key.ns}}},
                               {"spec", {{"devices", {{"requests", json::array({request})}}}}}}));
  json results = json::array();
  for (int i = 0; i < devices; ++i) {
    results.push_back({{"request", "gpu"},
                       {"driver", "gpu.example.com"},
                       {"pool", "node-1"},
                       {"device", fmt::format("gpu-{}", i)}});
  }
  const json on_node{
      {"key", "metadata.name"}, {"operator", "In"}, {"values", json::array({"node-1"})}};
  const json terms = json::array({{{"matchFields", json::array({on_node})}}});
  const json user{{"resource", "pods"}, {"name", "served"}, {"uid", "another-pod"}};
  const json status{{"allocation",
                     {{"allocationTimestamp", "2026-11-21T16:00:00Z"},
                      {"devices", {{"results", std::move(results)}}},
                      {"nodeSelector", {{"nodeSelectorTerms", terms}}}}},
                    {"reservedFor", json::array({user})}};
  REQUIRE(server.objects().Patch("resourceclaims", key, {{"status", status}}, "status"));
}

}  // namespace fedra::reconcile
