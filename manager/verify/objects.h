#pragma once
//
// The objects of a worker that a job's existence check looks at, as values: only the fields that
// matter. Source: core/v1, kueue.x-k8s.io/v1beta2, resource.k8s.io/v1 (Kubernetes 1.34 and newer).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"
#include "manager/tracking/ownership.h"
#include "manager/verify/queue_quota.h"
#include "manager/verify/rules.h"

namespace fedra::verify {

// On a namespace, with the value "true": claims and templates in it may ask for admin access. The
// API server checks it when they are made and when a claim is allocated (Kubernetes v1.36.3,
// pkg/registry/resource/utils.go). A wire value.
inline constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";

struct Namespace {
  std::string name;
  bool terminating = false;
  bool admin_access = false;  // kAdminAccessLabel

  bool operator==(const Namespace&) const = default;
};

struct LocalQueue {
  ObjectKey key;
  bool active = false;
  std::string why_inactive;  // Kueue's own words; empty when active
  std::string cluster_queue;
  StopPolicy stop = StopPolicy::kNone;
  std::optional<double> weight;  // spec.fairSharing.weight; nothing: none, or no number

  bool operator==(const LocalQueue&) const = default;
};

// A ResourceClaimTemplate or a named ResourceClaim.
struct ClaimSummary {
  ObjectKey key;
  std::vector<std::string>
      device_classes;  // every class that a request or alternative names, once each
  // What its driver must be able to do although no API shows it, such as
  // "gpu.nvidia.com/MPSSupport": named by its annotation fedra.dev/capabilities (comma-separated),
  // or known to be needed by the configuration it hands to the driver. Ascending.
  std::vector<std::string> capabilities;
  // Something is still to be made or allocated that asks for admin access.
  bool admin_access = false;
  // Of claims only: what its annotation fedra.dev/shared says; nothing: nothing, or no known word.
  std::optional<SharedClaims> shared;
  // Of templates only. spec as JSON in canonical form (template_canonical.h), whatever version it
  // was read in: equal texts are equal templates.
  std::string spec;
  std::string uid;
  ResourceVersion version;
  bool deleting = false;
  tracking::CopyMarks marks;

  bool operator==(const ClaimSummary&) const = default;
};

// Templates of the manager that a worker would get together with a job: asked for one that the
// worker does not have. Null: it would not get one of that name. Empty function: it gets none.
using TemplatesToCome =
    std::function<std::shared_ptr<const ClaimSummary>(const ObjectKey& claim_template)>;

struct ClassSummary {
  std::string name;
  std::string extended_resource;  // that stands for it; empty: none

  bool operator==(const ClassSummary&) const = default;
};

// An object of which only its being there counts.
struct NamedObject {
  ObjectKey key;

  bool operator==(const NamedObject&) const = default;
};

// An object of which its spec counts as a whole.
struct NamedSpec {
  ObjectKey key;
  std::string spec;  // as JSON with ordered keys: equal texts are equal specs

  bool operator==(const NamedSpec&) const = default;
};

Result<NamedObject> ParseNamedObject(const nlohmann::json& object);
Result<NamedSpec> ParseNamedSpec(const nlohmann::json& object);
Result<Namespace> ParseNamespace(const nlohmann::json& object);
Result<LocalQueue> ParseLocalQueue(const nlohmann::json& object);
Result<ClaimSummary> ParseTemplate(const nlohmann::json& object);
Result<ClaimSummary> ParseClaim(const nlohmann::json& object);
Result<ClassSummary> ParseClass(const nlohmann::json& object);

}  // namespace fedra::verify
