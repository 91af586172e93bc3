#pragma once
//
// The objects of a worker that a job's existence check looks at, as values: only the fields that
// matter. Source: core/v1, kueue.x-k8s.io/v1beta2, resource.k8s.io/v1 (Kubernetes 1.34 and newer).

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"

namespace fedra::verify {

struct Namespace {
  std::string name;
  bool terminating = false;

  bool operator==(const Namespace&) const = default;
};

struct LocalQueue {
  ObjectKey key;
  std::string cluster_queue;
  bool active = false;
  std::string why_inactive;  // Kueue's own words; empty when active

  bool operator==(const LocalQueue&) const = default;
};

// A ResourceClaimTemplate, or the spec of a named ResourceClaim.
struct Claim {
  ObjectKey key;
  std::vector<std::string>
      device_classes;  // every class that a request or alternative names, once each
  std::string spec;    // canonical JSON of spec, for comparing copies
  // What its driver must be able to do although no API shows it, such as
  // "gpu.nvidia.com/MPSSupport": named by its annotation fedra.dev/capabilities (comma-separated),
  // or known to be needed by the configuration it hands to the driver. Ascending.
  std::vector<std::string> capabilities;

  bool operator==(const Claim&) const = default;
};

struct DeviceClass {
  std::string name;

  bool operator==(const DeviceClass&) const = default;
};

// An object of which only its being there counts.
struct NamedObject {
  ObjectKey key;

  bool operator==(const NamedObject&) const = default;
};

Result<NamedObject> ParseNamedObject(const nlohmann::json& object);
Result<Namespace> ParseNamespace(const nlohmann::json& object);
Result<LocalQueue> ParseLocalQueue(const nlohmann::json& object);
Result<Claim> ParseTemplate(const nlohmann::json& object);
Result<Claim> ParseClaim(const nlohmann::json& object);
Result<DeviceClass> ParseDeviceClass(const nlohmann::json& object);

}  // namespace fedra::verify
