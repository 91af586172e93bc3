#pragma once
//
// A worker as its API server would list it, for tests of check, devices and snapshot: namespace ml,
// queue gpu, two nodes with GPUs, classes and templates, another user's claim and pods.
//
// Every object carries what must never get into a snapshot: the word SECRET.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/kube/resource_name.h"
#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/cli/snapshots/snapshot_recorder.h"
#include "manager/tracking/kinds/submitted.h"
#include "tests/support/catch.h"

namespace fedra::cli {

using nlohmann::json;

struct RawCluster {
  std::map<std::string, std::vector<json>> objects;  // by "nodes", "resourceslices.resource.k8s.io"
  std::map<std::string, watch::CacheState> states;   // of resources that cannot be read

  void Add(const std::string& resource, json object) {
    object["metadata"]["uid"] = "0b1c";
    object["metadata"]["resourceVersion"] = "7";
    object["metadata"]["annotations"]["last-applied"] = "SECRET annotation";
    object["metadata"]["managedFields"] = {{{"manager", "SECRET manager"}}};
    objects[resource].push_back(std::move(object));
  }
};

inline json Parsed(const std::string& text) {
  json object = json::parse(text, nullptr, false);
  REQUIRE_FALSE(object.is_discarded());
  return object;
}

// `memory`: of each GPU of the node, in Gi.
inline void AddNode(RawCluster& cluster, const std::string& name, const std::vector<int>& memory) {
  cluster.Add("nodes", Parsed(R"({"metadata": {"name": ")" + name +
                              R"(", "labels": {"kubernetes.io/hostname": ")" + name + R"("}},
      "spec": {"podCIDR": "SECRET cidr"},
      "status": {"allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"},
                 "images": [{"names": ["SECRET image"]}]}})"));
  json devices = json::array();
  for (size_t i = 0; i < memory.size(); ++i) {
    json device = Parsed(R"({"attributes": {"model": {"string": "h100"}}})");
    device["name"] = "gpu-" + std::to_string(i);
    device["attributes"]["host"]["string"] = name;
    device["capacity"]["memory"]["value"] = std::to_string(memory[i]) + "Gi";
    devices.push_back(std::move(device));
  }
  json slice = Parsed(R"({"spec": {"driver": "gpu.example.com",
                                   "pool": {"generation": 1, "resourceSliceCount": 1}}})");
  slice["metadata"]["name"] = name + "-gpu.example.com-x7";
  slice["spec"]["nodeName"] = name;
  slice["spec"]["pool"]["name"] = name;
  slice["spec"]["devices"] = std::move(devices);
  cluster.Add("resourceslices.resource.k8s.io", std::move(slice));
}

inline void AddTemplate(RawCluster& cluster, const std::string& name, const std::string& devices) {
  json object = Parsed(R"({"metadata": {"namespace": "ml"},
                           "spec": {"metadata": {"annotations": {"a": "SECRET"}}}})");
  object["metadata"]["name"] = name;
  object["spec"]["spec"]["devices"] = Parsed(devices);
  object["spec"]["spec"]["devices"]["config"] =
      Parsed(R"([{"opaque": {"driver": "gpu.example.com", "parameters": {"key": "SECRET"}}}])");
  cluster.Add("resourceclaimtemplates.resource.k8s.io", std::move(object));
}

// The device is held by another user's ml/other.
inline void AddAllocatedClaim(RawCluster& cluster, const std::string& name, const std::string& node,
                              const std::string& device) {
  json object = Parsed(R"({"metadata": {"namespace": "ml"},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {
        "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]}},
    "status": {"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
                 "devices": {"results": [
                   {"request": "gpu", "driver": "gpu.example.com"}],
                   "config": [{"opaque": {"parameters": "SECRET"}}]},
                 "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                   {"key": "metadata.name", "operator": "In"}]}]}},
               "reservedFor": [{"resource": "pods", "name": "SECRET pod", "uid": "u1"}],
               "devices": [{"data": "SECRET"}]}})");
  object["metadata"]["name"] = name;
  json& result = object["status"]["allocation"]["devices"]["results"][0];
  result["pool"] = node;
  result["device"] = device;
  object["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"][0]["matchFields"][0]
        ["values"] = json::array({node});
  cluster.Add("resourceclaims.resource.k8s.io", std::move(object));
}

inline void AddPod(RawCluster& cluster, const std::string& name, const std::string& node,
                   const std::string& cpu, const std::string& phase) {
  json object = Parsed(R"({"metadata": {"namespace": "other",
      "labels": {"batch.kubernetes.io/job-name": "their-job", "team": "SECRET team"}},
    "spec": {"containers": [{"name": "SECRET", "image": "SECRET", "command": ["SECRET"],
        "env": [{"name": "PASSWORD", "value": "SECRET"}], "resources": {"requests": {}}}]},
    "status": {"podIP": "SECRET"}})");
  object["metadata"]["name"] = name;
  object["spec"]["nodeName"] = node;
  object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu;
  object["status"]["phase"] = phase;
  cluster.Add("pods", std::move(object));
}

// node-a: 80 and 40 Gi; node-b: 40 Gi, held by ml/other. Half of node-a's cpu is in use.
inline RawCluster MakeCluster() {
  RawCluster cluster;
  cluster.Add("namespaces",
              Parsed(R"({"metadata": {"name": "ml"}, "status": {"phase": "Active"}})"));
  cluster.Add("localqueues.kueue.x-k8s.io",
              Parsed(R"({"metadata": {"namespace": "ml", "name": "gpu"},
                "spec": {"clusterQueue": "all"},
                "status": {"conditions": [{"type": "Active", "status": "True"}]}})"));
  cluster.Add("deviceclasses.resource.k8s.io",
              Parsed(R"({"metadata": {"name": "gpu", "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"selectors": [{"cel": {"expression":
                    "device.driver == 'gpu.example.com'"}}],
                  "config": [{"opaque": {"parameters": "SECRET"}}]}})"));
  AddNode(cluster, "node-a", {80, 40});
  AddNode(cluster, "node-b", {40});
  AddTemplate(cluster, "one-gpu", R"({"requests": [{"name": "gpu", "exactly": {
      "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]})");
  AddTemplate(cluster, "two-large", R"({"requests": [{"name": "gpu", "exactly": {
      "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2, "selectors": [
        {"cel": {"expression":
          "device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0"}}]}}]})");
  AddTemplate(cluster, "huge-or-any", R"({"requests": [{"name": "gpu", "firstAvailable": [
      {"name": "three", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3},
      {"name": "any", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}]}]})");
  AddAllocatedClaim(cluster, "other", "node-b", "gpu-0");
  AddPod(cluster, "busy", "node-a", "4", "Running");
  AddPod(cluster, "over", "node-a", "8", "Succeeded");
  json ours = Parsed(R"({"metadata": {"namespace": "ml", "name": "our-job",
      "labels": {"kueue.x-k8s.io/multikueue-origin": "fedra"},
      "annotations": {"fedra.dev/workload-uid": "u"}}})");
  cluster.Add("jobs.batch", ours);
  cluster.Add("jobs.batch", Parsed(R"({"metadata": {"namespace": "ml", "name": "taken"},
      "spec": {"template": {"spec": {"containers": [{"env": [{"value": "SECRET"}]}]}}}})"));
  return cluster;
}

inline kube::ServerInfo Server() {
  kube::ServerInfo server;
  server.git_version = "v1.36.3";
  server.groups["resource.k8s.io"] = {"v1"};
  return server;
}

inline FleetWorkerSettings WorkerNamed(const std::string& name) {
  FleetWorkerSettings settings;
  settings.name = ClusterName(name);
  settings.verified.devices.emplace();
  return settings;
}

inline ConnectionState Connected() {
  ConnectionState connection;
  connection.phase = ConnectionPhase::kConnected;
  return connection;
}

// As a reflector would after its first list.
inline void FeedAll(const std::vector<verify::Input>& inputs, const RawCluster& cluster) {
  for (const verify::Input& input : inputs) {
    const std::string name = kube::ResourceName(input.resource);
    watch::CacheHealth health{.state = watch::CacheState::kSynced, .complete = true};
    if (const auto state = cluster.states.find(name); state != cluster.states.end()) {
      health = {.state = state->second};
      health.error = std::make_shared<const Error>(ErrorCode::kForbidden, "cannot list");
    } else {
      input.sink->Reset();
      if (const auto found = cluster.objects.find(name); found != cluster.objects.end())
        for (const json& object : found->second) REQUIRE(input.sink->Upsert(object.dump()));
      input.sink->Synced();
    }
    input.sink->SetHealth(health);
  }
}

inline std::unique_ptr<FleetWorker> MakeWorker(const RawCluster& cluster,
                                               FleetWorkerSettings settings) {
  auto worker = std::make_unique<FleetWorker>(std::move(settings), [] {});
  const kube::ServerInfo server = Server();
  FeedAll(worker->Inputs(&server), cluster);
  worker->SetConnection(Connected());
  return worker;
}

// A snapshot of a fleet of one worker, east.
inline SnapshotFile Record(const RawCluster& cluster) {
  WorkerRecorder recorder(WorkerNamed("east"), [] {});
  const kube::ServerInfo server = Server();
  FeedAll(recorder.Inputs(&server), cluster);
  CHECK_FALSE(recorder.IsListing());
  SnapshotFile file;
  file.fedra_version = "0.1.0";
  file.us.origin = "fedra";
  file.workers.push_back(recorder.Recorded(Connected(), &server));
  return file;
}

// A job of queue ml/gpu with `pods` pods that each have a claim from the template, and `cpu`.
inline tracking::SubmittedJob MakeJob(const std::string& name, const std::string& claim_template,
                                      int pods = 1, const std::string& cpu = "1") {
  json object = Parsed(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"namespace": "ml", "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"template": {"spec": {
      "containers": [{"name": "c", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g"}]}}}})");
  object["metadata"]["name"] = name;
  object["spec"]["parallelism"] = pods;
  json& spec = object["spec"]["template"]["spec"];
  spec["resourceClaims"][0]["resourceClaimTemplateName"] = claim_template;
  spec["containers"][0]["resources"]["requests"]["cpu"] = cpu;
  auto job = tracking::ParseSubmitted(object, *tracking::BuiltInKinds(), "");
  REQUIRE(job.has_value());
  return *std::move(job);
}

}  // namespace fedra::cli
