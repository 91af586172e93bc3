#include "manager/tracking/workload.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/tracking/copy_metadata.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/finalizers.h"
#include "manager/tracking/job.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/resources.h"
#include "manager/tracking/shared_demands.h"
#include "manager/tracking/workload_owner.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

constexpr std::string_view kDelayedTopology = "delayedTopologyRequest";
constexpr std::string_view kStateNames[] = {"Pending", "Ready", "Retry", "Rejected"};

CheckState ParseState(std::string_view text) {
  for (size_t i = 0; i < std::size(kStateNames); ++i) {
    if (text == kStateNames[i]) return static_cast<CheckState>(i);
  }
  return CheckState::kPending;
}

std::optional<Condition> ReadCondition(const json& status, std::string_view type) {
  const json& condition = ConditionOf(status, type);
  if (condition.is_null()) return std::nullopt;
  return Condition{.is_true = Text(condition, "status") == "True",
                   .reason = Text(condition, "reason"),
                   .message = Text(condition, "message"),
                   .since = Time(condition, "lastTransitionTime")};
}

Priority ReadPriority(const json& spec) {
  const json& reference = Member(spec, "priorityClassRef");
  return {.group = Text(reference, "group"),
          .kind = Text(reference, "kind"),
          .name = Text(reference, "name"),
          .value = Number(spec, "priority", 0)};
}

std::vector<std::string> ReadStrings(const json& list) {
  std::vector<std::string> strings;
  if (!list.is_array()) return strings;
  for (const json& item : list) {
    if (item.is_string()) strings.push_back(item.get<std::string>());
  }
  return strings;
}

std::vector<PodTemplate> PodTemplates(const json& spec) {
  std::vector<PodTemplate> templates;
  const json& pod_sets = Member(spec, "podSets");
  if (!pod_sets.is_array()) return templates;
  for (const json& item : pod_sets)
    templates.push_back({Text(item, "name"), ReadNumber(item, "count", 1),
                         &Member(item, "template"), ReadNumber(item, "minCount", 0).value_or(0)});
  return templates;
}

// Everything that is read of spec to find a worker, and the demands. Errors: a field has a type
// that no API server takes.
Result<Demands> ReadSpec(const json& spec, Workload& workload) {
  Requirement& requirement = workload.requirement;
  FEDRA_ASSIGN_OR_RETURN(workload.active, ReadFlag(spec, "active", true));
  FEDRA_ASSIGN_OR_RETURN(workload.priority.value, ReadNumber(spec, "priority", 0));
  const json& queue = Member(spec, "queueName");
  if (!queue.is_null() && !queue.is_string())
    return Fail(ErrorCode::kBadResponse, "queueName must be a string");
  const json& pod_sets = Member(spec, "podSets");
  if (!pod_sets.is_null() && !pod_sets.is_array())
    return Fail(ErrorCode::kBadResponse, "podSets must be a list");
  const std::vector<PodTemplate> templates = PodTemplates(spec);
  FEDRA_ASSIGN_OR_RETURN(Demands demands, ReadDemands(templates));
  FEDRA_ASSIGN_OR_RETURN(requirement.dependencies, ReadDependencies(templates));
  requirement.pod_sets = PodSetsOf(*demands);
  requirement.schedulers = ReadSchedulers(templates);
  return demands;
}

bool AwaitsTopology(const json& assignment) {
  return Text(assignment, kDelayedTopology) == "Pending";
}

void ReadStatus(const json& status, Workload& workload) {
  workload.quota_reserved = ReadCondition(status, kQuotaReserved);
  workload.admitted = ReadCondition(status, kAdmitted);
  workload.evicted = ReadCondition(status, kEvicted);
  workload.finished = ReadCondition(status, kFinished);
  const auto requeued = ReadCondition(status, kRequeued);
  workload.is_left_unqueued = requeued && !requeued->is_true &&
                              (requeued->reason == kPreempted || requeued->reason == kNodeFailures);
  const json& checks = Member(status, "admissionChecks");
  if (checks.is_array()) {
    for (const json& check : checks) {
      workload.checks.push_back({Text(check, "name"), ParseState(Text(check, "state")),
                                 Text(check, "message"), Time(check, "lastTransitionTime")});
    }
  }
  const json& admission = Member(status, "admission");
  workload.cluster_queue = Text(admission, "clusterQueue");
  const json& assignments = Member(admission, "podSetAssignments");
  workload.has_flavors =
      assignments.is_array() && std::ranges::any_of(assignments, [](const json& assignment) {
        const json& flavors = Member(assignment, "flavors");
        return flavors.is_object() && !flavors.empty();
      });
  workload.awaits_topology =
      assignments.is_array() && std::ranges::any_of(assignments, &AwaitsTopology);
  workload.cluster_name = Text(status, "clusterName");
  workload.nominated = ReadStrings(Member(status, "nominatedClusterNames"));
}

Result<Workload> ReadCommon(const json& object) {
  const json& metadata = Member(object, "metadata");
  Workload workload;
  workload.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  workload.uid = Text(metadata, "uid");
  workload.version = ResourceVersion(Text(metadata, "resourceVersion"));
  if (workload.key.name.empty() || workload.uid.empty())
    return Fail(ErrorCode::kBadResponse, "a Workload without name or uid");
  workload.deleting = metadata.contains("deletionTimestamp");
  workload.finalizers = ReadStrings(Member(metadata, "finalizers"));
  workload.created = Time(metadata, "creationTimestamp");
  workload.owner = ReadOwner(metadata, workload.key.name);
  workload.marks = ReadCopyMarks(metadata);
  workload.requests = ReadJobRequests(metadata);
  workload.slice = ReadSlice(object);
  const std::string index = Text(Member(metadata, "annotations"), kComponentIndexAnnotation);
  workload.is_pod_group = IsGroupOfPods(workload.owner);
  workload.is_part = !index.empty();
  workload.follows = workload.is_part && index != "0";
  const json& spec = Member(object, "spec");
  workload.active = Flag(spec, "active", true);
  workload.priority = ReadPriority(spec);
  ReadStatus(Member(object, "status"), workload);
  return workload;
}

}  // namespace

std::string_view ToString(CheckState state) { return kStateNames[static_cast<size_t>(state)]; }

std::set<ClusterName> Workload::PlacedOn() const {
  std::set<ClusterName> workers;
  for (const std::string& name : nominated) workers.emplace(name);
  if (!cluster_name.empty()) workers.emplace(cluster_name);
  return workers;
}

bool Workload::IsPlacedOn(const ClusterName& worker) const {
  return cluster_name == worker.value ||
         std::find(nominated.begin(), nominated.end(), worker.value) != nominated.end();
}

const AdmissionCheckState* Workload::Check(std::string_view name) const {
  for (const AdmissionCheckState& check : checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

std::optional<WallTime> Workload::RetryAt() const {
  return requests == nullptr ? std::nullopt : requests->retry_at;
}

const MoveRequest* Workload::Move() const {
  return requests == nullptr || !requests->move ? nullptr : &*requests->move;
}

Result<Workload> ParseWorkload(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(Workload workload, ReadCommon(object));
  const json& spec = Member(object, "spec");
  workload.requirement.ns = workload.key.ns;
  workload.requirement.queue = Text(spec, "queueName");
  workload.requirement.kind = KindName(workload.owner);
  if (workload.is_pod_group) workload.member_uids = ReadOwnerUids(Member(object, "metadata"));
  auto demands = ReadSpec(spec, workload);
  if (!demands) workload.requirement.unreadable = demands.error().message;
  const bool placed = !workload.cluster_name.empty() || !workload.nominated.empty();
  const bool is_written = workload.QuotaReserved() || placed || workload.is_left_unqueued;
  if (is_written && !workload.Finished()) {
    workload.text = std::make_shared<const std::string>(Dump(object));
    if (demands) workload.requirement.demands = SharedDemands(workload.key.ns, *std::move(demands));
  }
  return workload;
}

Result<Workload> ParseClone(const json& object) { return ReadCommon(object); }

Result<std::string> CloneBody(const Workload& workload, const Identity& us,
                              const std::string& replaces) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  const json source = json::parse(*workload.text, nullptr, false);
  json metadata = CopyMetadata(source, workload.key, workload.uid, us);
  metadata["labels"].erase(std::string(kJobUidLabel));
  RemoveJobRequests(metadata["annotations"]);
  if (!replaces.empty())
    metadata["annotations"][std::string(kSliceReplaces)] = ReplacedKey(workload.key.ns, replaces);
  return Dump(json{{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                   {"kind", "Workload"},
                   {"metadata", std::move(metadata)},
                   {"spec", Member(source, "spec")}});
}

bool PriorityDiffers(const Workload& workload, const Workload& clone) {
  return workload.priority.kind == kWorkloadPriorityClass &&
         clone.priority.kind == kWorkloadPriorityClass && workload.priority != clone.priority;
}

std::string PriorityPatch(const Workload& workload, const Workload& clone) {
  const Priority& priority = workload.priority;
  return Dump(
      json{{"metadata", {{"uid", clone.uid}, {"resourceVersion", clone.version.value}}},
           {"spec",
            {{"priorityClassRef",
              {{"group", priority.group}, {"kind", priority.kind}, {"name", priority.name}}},
             {"priority", priority.value}}}});
}

Result<std::string> StatusPatch(const Workload& workload, const StatusChange& change,
                                WallTime now) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  const json source = json::parse(*workload.text, nullptr, false);
  json checks = Path(source, {"status", "admissionChecks"});
  if (!checks.is_array()) checks = json::array();
  json* entry = nullptr;
  for (json& check : checks) {
    if (Text(check, "name") == change.check) entry = &check;
  }
  if (entry == nullptr)
    return Fail(ErrorCode::kConflict,
                "the workload no longer has the admission check " + change.check);
  WallTime since = Time(*entry, "lastTransitionTime");
  if (Text(*entry, "state") != ToString(change.state)) since = now;
  if (change.state == CheckState::kPending && workload.QuotaReserved()) {
    const bool places = change.cluster_name && !change.cluster_name->empty();
    since = std::max(since, workload.quota_reserved->since +
                                (places ? kHeldAfterQuota : std::chrono::seconds(0)));
  }
  (*entry)["lastTransitionTime"] = FormatRfc3339(since);
  (*entry)["state"] = ToString(change.state);
  (*entry)["message"] = change.message;
  json status{{"admissionChecks", std::move(checks)}};
  if (change.state == CheckState::kReady && workload.awaits_topology) {
    json assignments = Path(source, {"status", "admission", "podSetAssignments"});
    for (json& assignment : assignments)
      if (AwaitsTopology(assignment)) assignment[std::string(kDelayedTopology)] = "Ready";
    status["admission"] = {{"podSetAssignments", std::move(assignments)}};
  }
  if (change.nominated) {
    status["nominatedClusterNames"] =
        change.nominated->empty() ? json(nullptr) : json(*change.nominated);
  }
  if (change.cluster_name) {
    status["clusterName"] =
        change.cluster_name->empty() ? json(nullptr) : json(*change.cluster_name);
  }
  return Dump(json{{"metadata", {{"resourceVersion", workload.version.value}}},
                   {"status", std::move(status)}});
}

Result<std::string> StatusApply(const Workload& workload, const std::string& patch) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  json status = Member(json::parse(*workload.text, nullptr, false), "status");
  if (!status.is_object()) return Fail(ErrorCode::kInternal, "the workload has no status");
  const bool nominates = status.contains("nominatedClusterNames");
  status.merge_patch(Member(json::parse(patch, nullptr, false), "status"));
  // Written empty, not left out, so that they go whichever manager owns them.
  if (nominates && !status.contains("nominatedClusterNames"))
    status["nominatedClusterNames"] = json::array();
  return Dump(json{{"apiVersion", kWorkloads.ApiVersion()},
                   {"kind", kWorkloads.kind},
                   {"metadata",
                    {{"name", workload.key.name},
                     {"namespace", workload.key.ns},
                     {"uid", workload.uid},
                     {"resourceVersion", workload.version.value}}},
                   {"status", std::move(status)}});
}

Result<std::string> NominationsApply(const Workload& workload,
                                     const std::vector<std::string>& nominated) {
  return StatusApply(workload, Dump(json{{"status", {{"nominatedClusterNames", nominated}}}}));
}

Result<std::string> RequeuedPatch(const Workload& workload, WallTime now) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  json conditions = Path(json::parse(*workload.text, nullptr, false), {"status", "conditions"});
  if (!conditions.is_array()) conditions = json::array();
  for (json& condition : conditions) {
    if (Text(condition, "type") != kRequeued) continue;
    condition["status"] = "True";
    condition["lastTransitionTime"] = FormatRfc3339(now);
  }
  return Dump(json{{"metadata", {{"resourceVersion", workload.version.value}}},
                   {"status", {{"conditions", std::move(conditions)}}}});
}

Result<std::string> FinishedPatch(const Workload& workload, std::string_view reason,
                                  std::string_view message, WallTime now) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  json conditions = Path(json::parse(*workload.text, nullptr, false), {"status", "conditions"});
  if (!conditions.is_array()) conditions = json::array();
  conditions.push_back({{"type", kFinished},
                        {"status", "True"},
                        {"reason", reason},
                        {"message", message},
                        {"lastTransitionTime", FormatRfc3339(now)}});
  return Dump(json{{"metadata", {{"resourceVersion", workload.version.value}}},
                   {"status", {{"conditions", conditions}}}});
}

std::string FinalizersPatch(const Workload& clone) {
  return WithoutFinalizer(clone.uid, clone.finalizers, kResourceInUse, clone.version);
}

}  // namespace fedra::tracking
