#include "manager/tracking/kinds/pod.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/job_fields.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

constexpr const char* kGate = "kueue.x-k8s.io/admission";
// On every pod that Kueue manages.
constexpr const char* kManagedLabel = "kueue.x-k8s.io/managed";
// By which a ReplicaSet knows its pods: one on the worker would adopt the copy.
constexpr const char* kTemplateHash = "pod-template-hash";

// Of a pod that has run, what is gone with its containers.
constexpr std::array kContainers = {"containerStatuses", "initContainerStatuses",
                                    "ephemeralContainerStatuses"};
// What the manager's own API server and controllers keep: the first is immutable, and the claims
// are written again by kube-controller-manager, which makes some for gated pods, too.
constexpr std::array kLocal = {"qosClass", "observedGeneration", "resourceClaimStatuses",
                               "extendedResourceClaimStatus",
                               "nodeAllocatableResourceClaimStatuses"};
// Addresses in another cluster: Services here would send requests to them.
constexpr std::array kElsewhere = {"hostIP", "hostIPs", "podIP", "podIPs", "nominatedNodeName"};
// Given by the admission plugin Priority, by the class that is in the spec, too: the number of
// another cluster's class is refused.
constexpr std::array kOfThisCluster = {"nodeName", "priority", "preemptionPolicy"};

bool IsGated(const json& object) {
  const json& gates = Member(Member(object, "spec"), "schedulingGates");
  return gates.is_array() &&
         std::ranges::any_of(gates, [](const json& gate) { return Text(gate, "name") == kGate; });
}

bool ShowsContainers(const json& status) {
  return std::ranges::any_of(kContainers, [&](const char* field) {
    const json& list = Member(status, field);
    return list.is_array() && !list.empty();
  });
}

// A gated pod is not scheduled, whatever another cluster's scheduler says of its copy: an
// autoscaler would add nodes here for one that is Unschedulable there.
void KeepUnscheduled(const json& known, json& status) {
  const json& local = ConditionOf(known, "PodScheduled");
  const auto conditions = status.find("conditions");
  if (!local.is_object() || conditions == status.end() || !conditions->is_array()) return;
  for (json& condition : *conditions) {
    if (Text(condition, "type") == "PodScheduled" && Text(condition, "status") != "True")
      condition = local;
  }
}

class PodKind final : public JobAdapter {
 public:
  PodKind() : JobAdapter(kPods) {}

  Result<Job> Parse(const json& object) const override {
    FEDRA_ASSIGN_OR_RETURN(Job job, ReadJobMetadata(object, *this));
    const json& metadata = Member(object, "metadata");
    const bool is_kueues = Text(Member(metadata, "labels"), kManagedLabel) == "true";
    if (is_kueues && job.marks.origin.empty()) job.managed_by = kManagedBy;
    const json& status = Member(object, "status");
    const std::string phase = Text(status, "phase");
    job.suspended = IsGated(object);
    job.failed = phase == "Failed";
    job.finished = job.failed || phase == "Succeeded";
    job.active_pods = phase == "Running" ? 1 : 0;
    job.shows_activity = phase == "Running" || ShowsContainers(status);
    KeepText(object, job);
    return job;
  }

  // It has no such field, and needs none.
  std::string ManagedBy(const json&) const override { return std::string(kManagedBy); }

  std::vector<PodTemplate> PodTemplates(const json& object) const override {
    return {{"main", 1, &object}};
  }

  PodLabel pod_label() const override {
    return {.key = std::string(kOriginLabel), .is_the_job = true};
  }
  bool HoldsCheck() const override { return true; }
  std::string labels_on_manager() const override { return std::string(kManagedLabel) + "=true"; }
  std::string labels_on_worker() const override { return std::string(kOriginLabel); }

  Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                 const Identity& us) const override {
    if (local.text == nullptr) return Fail(ErrorCode::kInternal, "the pod's text was not kept");
    const json source = json::parse(*local.text, nullptr, false);
    json body{{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", RemoteMetadata(source, local, workload, us)},
              {"spec", Member(source, "spec")}};
    json& spec = body["spec"];
    if (!spec.is_object()) return Fail(ErrorCode::kInternal, "the pod's spec was not kept");
    for (const char* field : kOfThisCluster) spec.erase(field);
    body["metadata"]["labels"].erase(kTemplateHash);
    DropKueueMarks(body);
    // A worker whose Kueue does not look after pods must not start it.
    if (!IsGated(body)) spec["schedulingGates"].push_back({{"name", kGate}});
    return Dump(body);
  }

  std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const override {
    if (local.finished || local.deleting) return std::nullopt;
    const json known = StatusOf(local);
    json status = BoundedStatus(StatusOf(remote), essential_);
    for (const char* field : kElsewhere) status.erase(field);
    for (const char* field : kLocal) {
      status.erase(field);
      if (known.contains(field)) status[field] = known[field];
    }
    if (local.suspended) KeepUnscheduled(known, status);
    json patch = MergeDifference(known, status);
    if (patch.empty()) return std::nullopt;
    return StatusPatchBody(local, std::move(patch));
  }

  // No containers either: one that has ended may not begin again under its name.
  std::optional<std::string> ClearActivityPatch(const Job& local) const override {
    if (!local.shows_activity || local.finished || local.deleting) return std::nullopt;
    const json known = StatusOf(local);
    json status = {{"phase", "Pending"}, {"startTime", nullptr}};
    for (const char* field : kContainers)
      if (known.contains(field)) status[field] = nullptr;
    json conditions = json::array();
    for (const json& condition : Member(known, "conditions")) {
      if (!condition.is_object()) continue;
      conditions.push_back(condition);
      conditions.back()["status"] = "False";
    }
    if (!conditions.empty()) status["conditions"] = std::move(conditions);
    return StatusPatchBody(local, std::move(status));
  }

 private:
  // Members of a status that stay when it is too large.
  const std::vector<std::string> essential_{"phase", "reason", "message", "startTime",
                                            "conditions"};
};

}  // namespace

const JobAdapter& PodAdapter() {
  static const PodKind adapter;
  return adapter;
}

}  // namespace fedra::tracking
