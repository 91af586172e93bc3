#include "manager/tracking/kinds/pod.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/job_fields.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// Wire values of pkg/controller/jobs/pod in Kueue 0.19.2; kueue_api.h has those that others need.
constexpr const char* kGate = "kueue.x-k8s.io/admission";
// On each pod of a group, as an annotation or a label: its name, which is that of its Workload.
constexpr std::string_view kPodGroupName = "kueue.x-k8s.io/pod-group-name";
// Likewise, as annotations: "true": it serves, and never ends; "false": no pod of the group is
// replaced.
constexpr std::string_view kPodGroupServing = "kueue.x-k8s.io/pod-group-serving";
constexpr std::string_view kRetriableInGroup = "kueue.x-k8s.io/retriable-in-group";
// The condition of a pod that Kueue stops.
constexpr std::string_view kTerminationTarget = "TerminationTarget";
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

// Why Kueue stops pods. An eviction's reason follows its own: "WorkloadEvictedDueToPreempted".
constexpr std::array<std::string_view, 3> kStopReasons = {"WorkloadDeleted", "NoMatchingWorkload",
                                                          "NotAdmitted"};
constexpr std::string_view kStoppedByEviction = "WorkloadEvicted";
constexpr size_t kLongestName = 253;

// Whether Kueue has stopped it, or is about to.
bool IsStopped(const json& status) {
  const json& condition = ConditionOf(status, kTerminationTarget);
  if (Text(condition, "status") != "True") return false;
  const std::string reason = Text(condition, "reason");
  return reason.starts_with(kStoppedByEviction) ||
         std::ranges::find(kStopReasons, reason) != kStopReasons.end();
}

std::vector<std::string> FinalizersOf(const json& metadata) {
  std::vector<std::string> finalizers;
  const json& list = Member(metadata, "finalizers");
  if (!list.is_array()) return finalizers;
  for (const json& one : list)
    if (one.is_string()) finalizers.push_back(one.get<std::string>());
  return finalizers;
}

// Null: of no group.
std::shared_ptr<const GroupMember> ReadMember(const json& metadata) {
  std::string group = PodGroupOf(metadata);
  if (group.empty()) return nullptr;
  const json& annotations = Member(metadata, "annotations");
  return std::make_shared<const GroupMember>(
      GroupMember{.group = std::move(group),
                  .total = PodGroupTotalOf(metadata),
                  .serves = Text(annotations, kPodGroupServing) == "true",
                  .retriable = Text(annotations, kRetriableInGroup) != "false",
                  .copy_of = Text(annotations, kMemberUidAnnotation),
                  .finalizers = FinalizersOf(metadata)});
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
    const bool is_kueues = Text(Member(metadata, "labels"), kManaged) == "true";
    if (is_kueues && !IsCopy(job.marks)) job.managed_by = kManagedBy;
    job.member = ReadMember(metadata);
    const json& status = Member(object, "status");
    const std::string phase = Text(status, "phase");
    const bool stopped = IsStopped(status);
    const bool deleted_there = job.deleting && IsCopy(job.marks);
    job.suspended = IsGated(object);
    job.failed = phase == "Failed" && !stopped && !deleted_there;
    job.finished = job.failed || (phase == "Succeeded" && !stopped);
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
  std::string_view group_kind() const override { return kGroupOfPods; }
  std::string labels_on_manager() const override { return std::string(kManaged) + "=true"; }
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
    if (local.member != nullptr)
      body["metadata"]["annotations"][std::string(kMemberUidAnnotation)] = local.uid;
    DropKueueMarks(body);
    // A worker whose Kueue does not look after pods must not start it.
    if (!IsGated(body)) spec["schedulingGates"].push_back({{"name", kGate}});
    return Dump(body);
  }

  std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const override {
    if (local.finished || local.deleting) return std::nullopt;
    json status = StatusOf(remote);
    if (IsStopped(status) || (remote.deleting && Text(status, "phase") == "Failed"))
      return std::nullopt;
    status = BoundedStatus(std::move(status), essential_);
    const json known = StatusOf(local);
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

std::string PodGroupOf(const json& metadata) {
  // As Kueue reads it: the annotation is the newer form.
  std::string name = Text(Member(metadata, "annotations"), kPodGroupName);
  if (name.empty()) name = Text(Member(metadata, "labels"), kPodGroupName);
  return name.size() <= kLongestName ? name : std::string();
}

int PodGroupTotalOf(const json& metadata) {
  const std::string text = Text(Member(metadata, "annotations"), kPodGroupTotalCount);
  int total = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), total);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::max(total, 0) : 0;
}

const JobAdapter& PodAdapter() {
  static const PodKind adapter;
  return adapter;
}

}  // namespace fedra::tracking
