#include "tests/unit/manager/support/mapped_devices.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/dra_case.h"

namespace fedra::testing {
namespace {

constexpr std::string_view kCluster = R"({
  "classes": [
    {"metadata": {"name": "gpu"}, "spec": {"selectors": [
      {"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}},
    {"metadata": {"name": "odd"}, "spec": {"selectors": [{"other": {}}]}}],
  "slices": [
    {"metadata": {"name": "a-counters"}, "spec": {"driver": "gpu.example.com", "nodeName": "node-a",
      "pool": {"name": "node-a", "generation": 1, "resourceSliceCount": 2},
      "sharedCounters": [{"name": "card", "counters": {"memory": {"value": "80Gi"}}}]}},
    {"metadata": {"name": "a-devices"}, "spec": {"driver": "gpu.example.com", "nodeName": "node-a",
      "pool": {"name": "node-a", "generation": 1, "resourceSliceCount": 2}, "devices": [
      {"name": "whole", "consumesCounters": [
        {"counterSet": "card", "counters": {"memory": {"value": "80Gi"}}}]},
      {"name": "half-0", "consumesCounters": [
        {"counterSet": "card", "counters": {"memory": {"value": "40Gi"}}}]},
      {"name": "half-1", "consumesCounters": [
        {"counterSet": "card", "counters": {"memory": {"value": "40Gi"}}}]}]}},
    {"metadata": {"name": "b"}, "spec": {"driver": "gpu.example.com", "nodeName": "node-b",
      "pool": {"name": "node-b", "generation": 1, "resourceSliceCount": 1}, "devices": [
      {"name": "gpu-0"},
      {"name": "gpu-1", "taints": [
        {"key": "repair", "value": "soon", "effect": "NoSchedule"}]},
      {"name": "gpu-2"},
      {"name": "gpu-3", "allowMultipleAllocations": true,
       "capacity": {"memory": {"value": "80Gi"}}}]}},
    {"metadata": {"name": "c"}, "spec": {"driver": "gpu.example.com", "nodeName": "node-c",
      "pool": {"name": "node-c", "generation": 1, "resourceSliceCount": 1},
      "devices": [{"name": "gpu-0"}]}},
    {"metadata": {"name": "d"}, "spec": {"driver": "gpu.example.com", "nodeName": "node-d",
      "pool": {"name": "node-d", "generation": 1, "resourceSliceCount": 2},
      "devices": [{"name": "gpu-0"}]}},
    {"metadata": {"name": "nics"}, "spec": {"driver": "nic.example.com", "allNodes": true,
      "pool": {"name": "nics", "generation": 1, "resourceSliceCount": 1},
      "devices": [{"name": "nic-0"}, {"name": "nic-1"}]}}],
  "taintRules": [{"metadata": {"name": "maintenance"}, "spec": {
    "deviceSelector": {"driver": "gpu.example.com", "pool": "node-b", "device": "gpu-2"},
    "taint": {"key": "maintenance", "effect": "NoExecute"}}}]
})";

nlohmann::json ClaimOf(const std::string& name, const std::string& pool,
                       const std::string& device) {
  return {{"metadata", {{"namespace", "ml"}, {"name", name}, {"uid", name}}},
          {"spec", {{"devices", {{"requests", nlohmann::json::array()}}}}},
          {"status",
           {{"allocation",
             {{"devices",
               {{"results",
                 {{{"request", "r"},
                   {"driver", "gpu.example.com"},
                   {"pool", pool},
                   {"device", device}}}}}}}}}}};
}

std::shared_ptr<const dra::Snapshot> Cluster() {
  nlohmann::json input = nlohmann::json::parse(kCluster);
  nlohmann::json shared = ClaimOf("shared-gpu", "node-b", "gpu-3");
  nlohmann::json& share = shared["status"]["allocation"]["devices"]["results"][0];
  share["shareID"] = "0b1c2d3e-0000-4000-8000-000000000000";
  share["consumedCapacity"] = {{"memory", "20Gi"}};
  input["allocatedClaims"] = {ClaimOf("serve-gpu", "node-a", "half-0"),
                              ClaimOf("train-gpu", "node-b", "gpu-2"), std::move(shared)};
  dra::ParseContext context;
  dra::AllocatorFeatures features = dra::FeaturesOf(cel::ParseRelease("1.36").value());
  features.device_taint_rules = true;
  dra::SnapshotBuilder builder(features);
  const auto read = test::internal::ReadCluster(input, context, builder);
  INFO((read ? std::string() : read.error().message));
  REQUIRE(read.has_value());
  for (const char* name : {"node-a", "node-b", "node-d"}) {
    nlohmann::json node = {{"metadata", {{"name", name}}}};
    if (std::string_view(name) == "node-b") node["spec"]["unschedulable"] = true;
    builder.SetNode(dra::ParseNode(node, context).value());
  }
  return builder.Publish();
}

}  // namespace

report::DeviceSource MappedDevices() {
  dra::JobOfClaim jobs;
  jobs[{"ml", "serve-gpu"}] = {"ml", "serve"};
  return {"east", "", Cluster(), std::make_shared<const dra::JobOfClaim>(std::move(jobs))};
}

}  // namespace fedra::testing
