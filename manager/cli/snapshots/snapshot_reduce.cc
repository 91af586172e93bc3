#include "manager/cli/snapshots/snapshot_reduce.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/verify/objects.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

using FieldNames = std::initializer_list<const char*>;

// These members of the object, as far as it has them.
json Keep(const json& object, FieldNames names) {
  json kept = json::object();
  for (const char* name : names) {
    const json& member = Member(object, name);
    if (!member.is_null()) kept[name] = member;
  }
  return kept;
}

json KeepEach(const json& list, FieldNames names) {
  json kept = json::array();
  if (!list.is_array()) return kept;
  for (const json& item : list) kept.push_back(Keep(item, names));
  return kept;
}

json Metadata(const json& object, FieldNames more = {}) {
  json metadata = Keep(Member(object, "metadata"), {"namespace", "name"});
  metadata.update(Keep(Member(object, "metadata"), more));
  return metadata;
}

json OnlyMetadata(const json& object, FieldNames more = {}) {
  json kept = json::object();
  kept["metadata"] = Metadata(object, more);
  return kept;
}

// Without `config`, which holds opaque parameters.
json DevicesOf(const json& claim_spec) {
  json kept = json::object();
  kept["devices"] = Keep(Member(claim_spec, "devices"), {"requests", "constraints"});
  return kept;
}

json Allocation(const json& allocation) {
  json kept = Keep(allocation, {"nodeSelector", "allocationTimestamp"});
  kept["devices"] = Keep(Member(allocation, "devices"), {"results"});
  return kept;
}

// The annotations that get in are our own, written again: here which capabilities the object needs,
// by its own words or by configuration that we know.
void AddCapabilities(const verify::ClaimSummary& claim, json& metadata) {
  if (claim.capabilities.empty()) return;
  metadata["annotations"][std::string(tracking::kCapabilitiesAnnotation)] =
      fmt::format("{}", fmt::join(claim.capabilities, ","));
}

json Digest(const json& value) {
  json digest = json::object();
  digest["digest"] = HashHex(value.dump());
  return digest;
}

// Whether the devices could be bound. The messages of conditions are the driver's.
json DeviceConditions(const json& devices) {
  json kept = KeepEach(devices, {"driver", "pool", "device", "conditions"});
  for (json& device : kept)
    device["conditions"] = KeepEach(Member(device, "conditions"), {"type", "status"});
  return kept;
}

json Claim(const json& object) {
  json status = json::object();
  const json& allocation = Path(object, {"status", "allocation"});
  if (allocation.is_object()) status["allocation"] = Allocation(allocation);
  const json& devices = Path(object, {"status", "devices"});
  if (devices.is_array()) status["devices"] = DeviceConditions(devices);
  status["reservedFor"] = KeepEach(Path(object, {"status", "reservedFor"}), {"uid"});
  json metadata = Metadata(object, {"deletionTimestamp"});
  if (const auto claim = verify::ParseClaim(object)) {
    AddCapabilities(*claim, metadata);
    if (claim->shared) {
      metadata["annotations"][std::string(tracking::kSharedAnnotation)] =
          verify::ToString(*claim->shared);
    }
  }
  return {{"metadata", std::move(metadata)},
          {"spec", DevicesOf(Member(object, "spec"))},
          {"status", std::move(status)}};
}

json DeviceClass(const json& object) {
  return {{"metadata", Metadata(object, {"creationTimestamp"})},
          {"spec", Keep(Member(object, "spec"), {"selectors", "extendedResourceName"})}};
}

json PodGroup(const json& object) {
  json kept = OnlyMetadata(object);
  kept["spec"]["resourceClaims"] =
      KeepEach(Path(object, {"spec", "resourceClaims"}), {"name", "resourceClaimTemplateName"});
  kept["status"]["resourceClaimStatuses"] =
      KeepEach(Path(object, {"status", "resourceClaimStatuses"}), {"name", "resourceClaimName"});
  // That they are there is all that counts.
  for (const char* field : {"schedulingConstraints", "parentCompositePodGroupName"})
    if (!Path(object, {"spec", field}).is_null()) kept["spec"][field] = json::object();
  return kept;
}

json Node(const json& object) {
  return {{"metadata", Metadata(object, {"labels"})},
          {"spec", Keep(Member(object, "spec"), {"taints", "unschedulable"})},
          {"status", Keep(Member(object, "status"), {"allocatable", "declaredFeatures"})}};
}

json Containers(const json& list) {
  json kept = json::array();
  if (!list.is_array()) return kept;
  for (const json& container : list) {
    json item = Keep(container, {"restartPolicy"});
    item["resources"] = Keep(Member(container, "resources"), {"requests", "limits"});
    kept.push_back(std::move(item));
  }
  return kept;
}

// What tells which job a pod is of.
json JobLabels(const json& labels, const tracking::JobKinds& kinds) {
  json kept = json::object();
  for (const tracking::JobAdapter* kind : kinds.all()) {
    const tracking::PodLabel label = kind->pod_label();
    const bool is_of_kind =
        label.also_key.empty() || Text(labels, label.also_key) == label.also_value;
    if (label.key.empty() || !is_of_kind) continue;
    kept.update(Keep(labels, {label.key.c_str()}));
    if (!label.also_key.empty()) kept[label.also_key] = label.also_value;
  }
  return kept;
}

// How many containers name a claim counts, and not what they are called.
json NodeClaims(const json& claims) {
  json kept =
      KeepEach(claims, {"resourceClaimName", "resources", "mapping", "overhead", "containers"});
  for (json& claim : kept) {
    const auto containers = claim.find("containers");
    if (containers == claim.end() || !containers->is_array()) continue;
    for (size_t i = 0; i < containers->size(); ++i) (*containers)[i] = std::to_string(i);
  }
  return kept;
}

std::optional<json> Pod(const json& object, const tracking::JobKinds& kinds) {
  const std::string phase = Text(Member(object, "status"), "phase");
  if (phase == "Succeeded" || phase == "Failed") return std::nullopt;  // holds nothing any more
  const json& spec = Member(object, "spec");
  json metadata = Metadata(object);
  metadata["labels"] = JobLabels(Path(object, {"metadata", "labels"}), kinds);
  json kept = Keep(spec, {"nodeName", "overhead"});
  kept["resourceClaims"] = KeepEach(Member(spec, "resourceClaims"),
                                    {"name", "resourceClaimName", "resourceClaimTemplateName"});
  kept["containers"] = Containers(Member(spec, "containers"));
  kept["initContainers"] = Containers(Member(spec, "initContainers"));
  const json& resources = Member(spec, "resources");
  if (resources.is_object()) kept["resources"] = Keep(resources, {"requests", "limits"});
  json status = {
      {"phase", phase},
      {"resourceClaimStatuses",
       KeepEach(Path(object, {"status", "resourceClaimStatuses"}), {"name", "resourceClaimName"})}};
  const char* const of_node = "nodeAllocatableResourceClaimStatuses";
  if (const json& claims = Path(object, {"status", of_node}); claims.is_array())
    status[of_node] = NodeClaims(claims);
  return json{
      {"metadata", std::move(metadata)}, {"spec", std::move(kept)}, {"status", std::move(status)}};
}

json LocalQueue(const json& object) {
  json conditions = json::array();
  const json& all = Path(object, {"status", "conditions"});
  if (all.is_array()) {
    for (const json& condition : all) {
      if (Text(condition, "type") == tracking::kActive)
        conditions.push_back(Keep(condition, {"type", "status", "message"}));
    }
  }
  json status = json::object();
  status["conditions"] = std::move(conditions);
  return {{"metadata", Metadata(object)},
          {"spec", Keep(Member(object, "spec"), {"clusterQueue", "stopPolicy"})},
          {"status", std::move(status)}};
}

}  // namespace

// One that is not ours is in the way of one of the same name, and one that is holds its devices.
// Whose one with our origin is, is found out when it is read: by the mode, where Kueue made it, and
// by the manager's UID, which need not have answered here.
json ReducedJob(const json& object, const std::string& origin) {
  const tracking::CopyMarks marks = tracking::ReadCopyMarks(Member(object, "metadata"));
  json kept = OnlyMetadata(object, {"uid"});
  if (!tracking::IsCopy(marks) || marks.origin != origin) return kept;
  json& metadata = kept["metadata"];
  metadata.update(Keep(Member(object, "metadata"), {"deletionTimestamp"}));
  metadata["labels"][std::string(tracking::kOriginLabel)] = marks.origin;
  if (!marks.source_uid.empty())
    metadata["annotations"][std::string(tracking::kWorkloadUidAnnotation)] = marks.source_uid;
  if (!marks.made_by.empty())
    metadata["annotations"][std::string(tracking::kManagerUidAnnotation)] = marks.made_by;
  // Whether it has ended: then it holds none. Why a pod's conditions are so, Kueue says.
  kept["spec"] = Keep(Member(object, "spec"), {"suspend"});
  kept["status"] = Keep(Member(object, "status"), {"phase"});
  kept["status"]["conditions"] =
      KeepEach(Path(object, {"status", "conditions"}), {"type", "status", "reason"});
  return kept;
}

json ReducedTemplate(const verify::ClaimSummary& claim_template) {
  json metadata = json::object();
  metadata["namespace"] = claim_template.key.ns;
  metadata["name"] = claim_template.key.name;
  AddCapabilities(claim_template, metadata);
  const json whole = json::parse(claim_template.spec, nullptr, /*allow_exceptions=*/false);
  json spec = json::object();
  spec["spec"] = DevicesOf(Member(whole, "spec"));
  if (!Member(whole, "metadata").is_null()) spec["metadata"] = Digest(whole["metadata"]);
  const json& configs = Path(whole, {"spec", "devices", "config"});
  if (!configs.is_null()) spec["spec"]["devices"]["config"] = Digest(configs);
  return {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

std::optional<json> Reduced(const kube::Resource& resource, const json& object,
                            const std::string& origin, const tracking::JobKinds& kinds) {
  const std::string& kind = resource.kind;
  // Published by drivers for all to read; a field of a newer API may decide placement.
  if (kind == "ResourceSlice")
    return json{{"metadata", Metadata(object)}, {"spec", Member(object, "spec")}};
  if (kind == "ResourceClaim") return Claim(object);
  if (kind == "ResourceClaimTemplate") {
    const auto read = verify::ParseTemplate(object);
    return read ? ReducedTemplate(*read) : OnlyMetadata(object);
  }
  if (kind == "DeviceClass") return DeviceClass(object);
  if (kind == "DeviceTaintRule") {
    return json{{"metadata", Metadata(object)},
                {"spec", Keep(Member(object, "spec"), {"deviceSelector", "taint"})}};
  }
  if (kind == "PodGroup") return PodGroup(object);
  if (kind == "Node") return Node(object);
  if (kind == "Pod") return Pod(object, kinds);
  if (kind == "LocalQueue") return LocalQueue(object);
  if (kind == "ClusterQueue") {
    return json{{"metadata", Metadata(object)},
                {"spec", Keep(Member(object, "spec"),
                              {"cohort", "cohortName", "resourceGroups", "stopPolicy"})},
                {"status", Keep(Member(object, "status"), {"flavorsReservation"})}};
  }
  if (kind == "Namespace") {
    json metadata = Metadata(object);
    const std::string label(verify::kAdminAccessLabel);
    json labels = Keep(Path(object, {"metadata", "labels"}), {label.c_str()});
    if (!labels.empty()) metadata["labels"] = std::move(labels);
    return json{{"metadata", std::move(metadata)},
                {"status", Keep(Member(object, "status"), {"phase"})}};
  }
  if (kinds.Find(resource.ApiVersion(), kind) != nullptr) return ReducedJob(object, origin);
  if (kind == "Workload") {
    // Of groups of pods the Workload's name is known before there is one; else only whether they
    // can be read counts.
    const bool has_groups = kinds.FindName(tracking::kGroupOfPods) != nullptr;
    return has_groups ? std::optional(ReducedJob(object, origin)) : std::nullopt;
  }
  return OnlyMetadata(object);  // only its being there counts
}

}  // namespace fedra::cli
