#include "tests/sim/api/resource_types.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/assert.h"
#include "tests/sim/kinds/job_kind.h"
#include "tests/sim/server.h"

namespace fedra::sim {
namespace {

enum class Scope { kNamespaced, kCluster };
enum class Status { kNone, kSubresource };

ResourceType Type(std::string group, std::string version, std::string plural, std::string kind,
                  Scope scope, Status status, std::vector<std::string> short_names = {}) {
  ResourceType type;
  type.group = std::move(group);
  type.versions = {std::move(version)};
  type.plural = std::move(plural);
  type.singular = kind;
  std::transform(type.singular.begin(), type.singular.end(), type.singular.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  type.kind = std::move(kind);
  type.short_names = std::move(short_names);
  type.namespaced = scope == Scope::kNamespaced;
  type.has_status = status == Status::kSubresource;
  return type;
}

constexpr auto kNamespaced = Scope::kNamespaced;
constexpr auto kCluster = Scope::kCluster;
constexpr auto kNone = Status::kNone;
constexpr auto kSubresource = Status::kSubresource;

std::vector<ResourceType> BuiltIn() {
  return {
      Type("", "v1", "namespaces", "Namespace", kCluster, kSubresource, {"ns"}),
      Type("", "v1", "nodes", "Node", kCluster, kSubresource, {"no"}),
      Type("", "v1", "pods", "Pod", kNamespaced, kSubresource, {"po"}),
      Type("", "v1", "events", "Event", kNamespaced, kNone, {"ev"}),
      Type("", "v1", "configmaps", "ConfigMap", kNamespaced, kNone, {"cm"}),
      Type("", "v1", "secrets", "Secret", kNamespaced, kNone),
      Type("", "v1", "serviceaccounts", "ServiceAccount", kNamespaced, kNone, {"sa"}),
      Type("", "v1", "services", "Service", kNamespaced, kSubresource, {"svc"}),
      Type("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", kNamespaced, kSubresource,
           {"pvc"}),
      Type("apps", "v1", "deployments", "Deployment", kNamespaced, kSubresource, {"deploy"}),
      Type("batch", "v1", "jobs", "Job", kNamespaced, kSubresource),
      Type("coordination.k8s.io", "v1", "leases", "Lease", kNamespaced, kNone),
      Type("events.k8s.io", "v1", "events", "Event", kNamespaced, kNone, {"ev"}),
      Type("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", kCluster, kNone, {"pc"}),
      Type("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", kCluster, kNone),
      Type("rbac.authorization.k8s.io", "v1", "roles", "Role", kNamespaced, kNone),
      Type("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", kNamespaced, kNone),
      Type("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", kCluster, kNone),
      Type("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", kCluster,
           kNone),
      Type("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
           kCluster, kSubresource, {"crd"}),
  };
}

// What comes with Kueue, the ClusterProfiles that its MultiKueue may use, and what comes with fedra
// (deploy/placement-records.yaml).
std::vector<ResourceType> Kueue() {
  const std::string group = "kueue.x-k8s.io";
  std::vector<ResourceType> types = {
      Type(group, "v1beta2", "workloads", "Workload", kNamespaced, kSubresource, {"wl", "kwl"}),
      Type(group, "v1beta2", "localqueues", "LocalQueue", kNamespaced, kSubresource,
           {"lq", "queue"}),
      Type(group, "v1beta2", "clusterqueues", "ClusterQueue", kCluster, kSubresource, {"cq"}),
      Type(group, "v1beta2", "admissionchecks", "AdmissionCheck", kCluster, kSubresource, {"ac"}),
      Type(group, "v1beta2", "resourceflavors", "ResourceFlavor", kCluster, kNone, {"rf"}),
      Type(group, "v1beta2", "topologies", "Topology", kCluster, kNone),
      Type(group, "v1beta2", "multikueueconfigs", "MultiKueueConfig", kCluster, kNone, {"mkconf"}),
      Type(group, "v1beta2", "multikueueclusters", "MultiKueueCluster", kCluster, kSubresource,
           {"mkc"}),
      Type(group, "v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass", kCluster, kNone),
      Type("multicluster.x-k8s.io", "v1alpha1", "clusterprofiles", "ClusterProfile", kNamespaced,
           kSubresource),
      Type("fedra.dev", "v1alpha1", "placementrecords", "PlacementRecord", kNamespaced, kNone,
           {"plr"}),
  };
  for (ResourceType& type : types) type.custom = true;
  return types;
}

// With rules every kind is served in v1beta2 too, as --runtime-config=resource.k8s.io/v1beta2=true
// does.
std::vector<ResourceType> Devices(std::vector<std::string> versions, bool taint_rules) {
  const std::string group = "resource.k8s.io";
  const std::string rules_version = "v1beta2";
  if (taint_rules && std::find(versions.begin(), versions.end(), rules_version) == versions.end()) {
    versions.push_back(rules_version);
  }
  std::vector<ResourceType> types = {
      Type(group, "", "deviceclasses", "DeviceClass", kCluster, kNone),
      Type(group, "", "resourceclaims", "ResourceClaim", kNamespaced, kSubresource),
      Type(group, "", "resourceclaimtemplates", "ResourceClaimTemplate", kNamespaced, kNone),
      Type(group, "", "resourceslices", "ResourceSlice", kCluster, kNone),
  };
  for (ResourceType& type : types) type.versions = versions;
  if (taint_rules) {
    types.push_back(
        Type(group, rules_version, "devicetaintrules", "DeviceTaintRule", kCluster, kSubresource));
  }
  return types;
}

}  // namespace

std::string ResourceType::ApiVersion(std::string_view version) const {
  return group.empty() ? std::string(version) : group + "/" + std::string(version);
}

bool ResourceType::Serves(std::string_view version) const {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

Registry::Registry(const ServerOptions& options) : types_(BuiltIn()) {
  const auto add = [this](std::vector<ResourceType> more) {
    std::move(more.begin(), more.end(), std::back_inserter(types_));
  };
  if (options.kueue) add(Kueue());
  if (!options.dra_versions.empty()) add(Devices(options.dra_versions, options.device_taint_rules));
  if (options.job_kinds) {
    for (const JobKind& kind : JobKinds()) {
      if (kind.group == "batch" || kind.group.empty()) continue;  // built in
      ResourceType type =
          Type(kind.group, kind.version, kind.plural, kind.kind, kNamespaced, kSubresource);
      type.custom = true;
      types_.push_back(std::move(type));
    }
    const std::string trainer = "trainer.kubeflow.org";
    add({Type(trainer, "v1alpha1", "trainingruntimes", "TrainingRuntime", kNamespaced, kNone),
         Type(trainer, "v1alpha1", "clustertrainingruntimes", "ClusterTrainingRuntime", kCluster,
              kNone),
         // Of NVIDIA's DRA driver: its controller makes templates that jobs name.
         Type("resource.nvidia.com", "v1beta1", "computedomains", "ComputeDomain", kNamespaced,
              kSubresource)});
  }
  if (options.pod_groups) {
    add({Type("scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup", kNamespaced,
              kSubresource)});
  }
  for (size_t i = 0; i < types_.size(); ++i) types_[i].index = i;
  const ResourceType& events = Get("events.events.k8s.io");
  const_cast<ResourceType&>(Get("events")).stored_as = &events;
}

const ResourceType* Registry::Find(std::string_view group, std::string_view version,
                                   std::string_view plural) const {
  for (const ResourceType& type : types_) {
    if (type.plural == plural && type.group == group && type.Serves(version)) return &type;
  }
  return nullptr;
}

const ResourceType* Registry::FindNamed(std::string_view name) const {
  const size_t dot = name.find('.');
  const std::string_view plural = name.substr(0, dot);
  for (const ResourceType& type : types_) {
    if (type.plural != plural) continue;
    if (dot == std::string_view::npos || type.group == name.substr(dot + 1)) return &type;
  }
  return nullptr;
}

const ResourceType* Registry::FindKind(std::string_view api_version, std::string_view kind) const {
  const size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view group = core ? "" : api_version.substr(0, slash);
  const std::string_view version = core ? api_version : api_version.substr(slash + 1);
  for (const ResourceType& type : types_) {
    if (type.kind == kind && type.group == group && type.Serves(version)) return &type;
  }
  return nullptr;
}

const ResourceType& Registry::Get(std::string_view name) const {
  const ResourceType* type = FindNamed(name);
  FEDRA_ASSERT(type != nullptr, "the simulated server serves what its own actors need");
  return *type;
}

}  // namespace fedra::sim
