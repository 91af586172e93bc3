#pragma once
//
// Kubernetes objects for the tests of dra/, as JSON in the shape that an API server returns, and
// one call that allocates. Defaults: driver gpu.example.com, pool and node "node-1", class "gpu".

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/dra_case.h"

namespace fedra::test {

using nlohmann::json;

inline constexpr const char* kDriver = "gpu.example.com";

// {"model": "a100"} becomes a string attribute, numbers int, truth values bool; {"version": ..}
// stays.
inline json Attributes(const json& values) {
  json attributes = json::object();
  for (const auto& [name, value] : values.items()) {
    if (value.is_string())
      attributes[name] = {{"string", value}};
    else if (value.is_boolean())
      attributes[name] = {{"bool", value}};
    else if (value.is_number())
      attributes[name] = {{"int", value}};
    else
      attributes[name] = value;
  }
  return attributes;
}

// `more` is merged into the device: capacity, taints, consumesCounters, ...
inline json Device(const std::string& name, const json& attributes = json::object(),
                   const json& more = json::object()) {
  json device = {{"name", name}, {"attributes", Attributes(attributes)}};
  device.update(more);
  return device;
}

inline std::vector<json> Devices(int count, const json& attributes = json::object(),
                                 const json& more = json::object()) {
  std::vector<json> devices;
  for (int i = 0; i < count; ++i)
    devices.push_back(Device("gpu-" + std::to_string(i), attributes, more));
  return devices;
}

// `more` is merged into the spec: driver, nodeName, pool, ...; {"nodeName": null} removes it.
inline json Slice(const std::string& name, const std::vector<json>& devices,
                  const json& more = json::object()) {
  json spec = {{"driver", kDriver},
               {"nodeName", "node-1"},
               {"pool", {{"name", "node-1"}, {"generation", 1}, {"resourceSliceCount", 1}}},
               {"devices", devices}};
  spec.merge_patch(more);
  return {{"metadata", {{"name", name}}}, {"spec", spec}};
}

inline json Cel(const std::vector<std::string>& expressions) {
  json selectors = json::array();
  for (const std::string& expression : expressions)
    selectors.push_back({{"cel", {{"expression", expression}}}});
  return selectors;
}

inline json Class(const std::string& name, const std::vector<std::string>& selectors = {
                                               R"(device.driver == "gpu.example.com")"}) {
  return {{"metadata", {{"name", name}}}, {"spec", {{"selectors", Cel(selectors)}}}};
}

// An exact request; `more` is merged into `exactly`.
inline json Request(const std::string& name, int count = 1, const json& more = json::object()) {
  json exactly = {{"deviceClassName", "gpu"}, {"allocationMode", "ExactCount"}, {"count", count}};
  exactly.merge_patch(more);
  return {{"name", name}, {"exactly", exactly}};
}

inline json All(const std::string& name, const json& more = json::object()) {
  json exactly = {{"deviceClassName", "gpu"}, {"allocationMode", "All"}};
  exactly.merge_patch(more);
  return {{"name", name}, {"exactly", exactly}};
}

// Alternatives are the `exactly` parts of requests, with a name.
inline json FirstAvailable(const std::string& name, const std::vector<json>& alternatives) {
  json list = json::array();
  for (const json& alternative : alternatives) {
    json flat = alternative["exactly"];
    flat["name"] = alternative["name"];
    list.push_back(flat);
  }
  return {{"name", name}, {"firstAvailable", list}};
}

inline json Claim(const std::string& name, const std::vector<json>& requests,
                  const std::vector<json>& constraints = {}) {
  return {{"metadata", {{"namespace", "ml"}, {"name", name}}},
          {"spec", {{"devices", {{"requests", requests}, {"constraints", constraints}}}}}};
}

inline json Match(const std::string& attribute, const json& requests = json::array()) {
  return {{"matchAttribute", attribute}, {"requests", requests}};
}
inline json Distinct(const std::string& attribute, const json& requests = json::array()) {
  return {{"distinctAttribute", attribute}, {"requests", requests}};
}

// A claim of another namespace that holds a device; `more` is merged into the result.
inline json Holding(const std::string& name, const std::string& device,
                    const json& more = json::object()) {
  json result = {{"request", "r"}, {"driver", kDriver}, {"pool", "node-1"}, {"device", device}};
  result.update(more);
  return {{"metadata", {{"namespace", "other"}, {"name", name}}},
          {"status", {{"allocation", {{"devices", {{"results", {result}}}}}}}}};
}

// One case, with class "gpu" and node "node-1" unless replaced.
struct Case {
  std::vector<json> slices = {};
  std::vector<json> claims = {};
  std::vector<json> allocated = {};
  std::vector<json> classes = {Class("gpu")};
  std::vector<json> rules = {};
  json labels = json::object();
  std::string node = "node-1";
  dra::AllocatorFeatures features;  // 1.36 with the corrections of 1.37
  dra::AllocatorLimits limits = {};

  json ToJson() const {
    return {{"slices", slices},
            {"claims", claims},
            {"allocatedClaims", allocated},
            {"classes", classes},
            {"taintRules", rules},
            {"node", {{"metadata", {{"name", node}, {"labels", labels}}}}}};
  }
};

struct Outcome {
  dra::Fit fit = dra::Fit::kNoFit;
  std::string error;
  std::vector<std::string> devices;  // names only, in order
  std::vector<std::string> results;  // "ns/claim req driver/pool/device"
  dra::NodeAllocation allocation;
};

// Aborts the test when the case itself is malformed.
inline Outcome Solve(const Case& input) {
  dra::ParseContext context;
  auto parsed = ReadDraCase(input.ToJson(), context, &input.features);
  if (!parsed) throw std::runtime_error("bad case: " + parsed.error().message);
  dra::SelectorCache selectors;
  DraAnswer answer = Solve(*parsed, selectors, input.limits);
  Outcome outcome{.fit = answer.allocation.fit,
                  .error = answer.allocation.error,
                  .devices = {},
                  .results = answer.results,
                  .allocation = answer.allocation};
  for (const std::string& result : answer.results)
    outcome.devices.push_back(result.substr(result.rfind('/') + 1));
  return outcome;
}

inline std::vector<std::string> Names(std::initializer_list<const char*> names) {
  return {names.begin(), names.end()};
}

}  // namespace fedra::test
