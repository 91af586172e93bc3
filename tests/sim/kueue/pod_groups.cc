// Groups of pods, of which each group has one Workload that all pods own:
// pkg/controller/jobs/pod/pod_controller.go of Kueue 0.19.2, and of jobframework/reconciler.go what
// is done with a ComposableJob.

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {
namespace {

std::string_view PodAnnotation(const Json& pod, std::string_view name) {
  return StringAt(pod, {"metadata", "annotations", name});
}

int64_t GroupTotal(const Json& pod) {
  const std::string_view text = PodAnnotation(pod, names::kGroupTotal);
  int64_t total = 0;
  std::from_chars(text.data(), text.data() + text.size(), total);
  return total;
}

std::string RoleOf(const Json& pod) { return std::string(PodAnnotation(pod, names::kRoleHash)); }

std::string_view PhaseOf(const Json& pod) { return StringAt(pod, {"status", "phase"}); }
bool PodEnded(const Json& pod) { return PhaseOf(pod) == "Succeeded" || PhaseOf(pod) == "Failed"; }

// isPodRunnableOrSucceeded.
bool CanRun(const Json& pod) {
  const bool never = Terminating(pod) && StringAt(pod, {"spec", "nodeName"}).empty();
  return !never && PhaseOf(pod) != "Failed";
}

bool HoldsPodFinalizer(const Json& pod) {
  const Json& finalizers = ArrayAt(pod, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), names::kManaged) != finalizers.end();
}

// As sortActivePods: which of several are kept.
auto KeepOrder(const JobKind& kind, const Json& pod) {
  return std::tuple(IsSuspended(kind, pod),
                    std::string(StringAt(pod, {"metadata", "creationTimestamp"})),
                    std::string(StringAt(pod, {"metadata", "name"})));
}

Json MemberReference(const Json& pod) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"name", pod["metadata"]["name"]},
          {"uid", pod["metadata"]["uid"]}};
}

// How Kueue says that it stops a pod.
std::string StopReason(const Object* workload) {
  if (workload == nullptr) return "NoMatchingWorkload";
  if (Terminating(workload->body)) return "WorkloadDeleted";
  if (!Evicted(StatusOf(*workload))) return "NotAdmitted";
  return fmt::format("WorkloadEvictedDueTo{}",
                     StringAt(*FindCondition(StatusOf(*workload), "Evicted"), {"reason"}));
}

}  // namespace

std::string GroupNameOf(const Json& pod) {
  const std::string_view annotation = PodAnnotation(pod, names::kGroupName);
  return std::string(annotation.empty() ? StringAt(pod, {"metadata", "labels", names::kGroupName})
                                        : annotation);
}

bool IsGroupWorkload(const Json& workload) {
  return PodAnnotation(workload, names::kIsGroup) == "true";
}

// The webhook's part: pods that need the same are of one role.
void PrepareGroupPod(Json& pod) {
  Json& metadata = pod["metadata"];
  if (!HoldsPodFinalizer(pod)) metadata["finalizers"].push_back(names::kManaged);
  if (!RoleOf(pod).empty()) return;
  Json shape = Json::array();
  for (const Json& container : ArrayAt(pod, {"spec", "containers"}))
    shape.push_back(container.value("resources", Json::object()));
  for (const char* field : {"nodeSelector", "tolerations", "resourceClaims"})
    shape.push_back(pod["spec"].value(field, Json()));
  const std::string text = shape.dump();
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hash;
  for (int i = 0; i < 4; ++i) hash += fmt::format("{:02x}", digest[i]);
  metadata["annotations"][std::string(names::kRoleHash)] = hash;
}

void KueueController::StopPod(Store& store, const Place& place, const Object* workload) {
  Object& pod = *store.Find(*place.type, place.key);
  const bool runs = !IsSuspended(*KindOf(place.type), pod.body) && !PodEnded(pod.body);
  Json& status = pod.body["status"];
  SetCondition(status, {"TerminationTarget", true, StopReason(workload), "stopped"}, 0);
  // What the kubelet makes of a container that is killed.
  if (runs) status["phase"] = "Failed";
  store.Touch(*place.type, place.key, pod);
  (void)verbs().Delete(store, {.type = *place.type,
                               .key = place.key,
                               .uid = {},
                               .resource_version = {},
                               .propagation = "Background"});
}

KueueController::Group KueueController::GroupOf(const Store& store, const ResourceType& type,
                                                const ObjectKey& key) const {
  Group group{&type, key, {}};
  for (const auto& [pod_key, pod] : store.All(type)) {
    if (pod_key.ns == key.ns && GroupNameOf(pod.body) == key.name && !QueueNameOf(pod.body).empty())
      group.pods.push_back(pod_key);
  }
  return group;
}

void KueueController::ReconcileGroup(Store& store, const ResourceType& type, const ObjectKey& key) {
  Group group = GroupOf(store, type, key);
  if (group.pods.empty()) return;
  const bool prebuilt = !PrebuiltNameOf(store.Find(type, group.pods.front())->body).empty();
  Object* workload = prebuilt ? AdoptForGroup(store, group) : MatchGroup(store, group);
  if (workload == nullptr) return;
  const Place place{&workloads_, key};
  if (Finished(StatusOf(*workload))) {
    FinalizePods(store, group, group.pods);
    return RemoveFinalizer(store, place, *workload);
  }
  if (Terminating(workload->body)) {
    StopGroup(store, group, workload, /*ended_too=*/true);
    FinalizePods(store, group, group.pods);
    return RemoveFinalizer(store, place, *workload);
  }
  if (const auto end = GroupEnd(store, group)) {
    Json status = StatusOf(*workload);
    Finish(status, "Succeeded", end->message, IntAt(workload->body, {"metadata", "generation"}));
    return WriteStatus(store, place, *workload, std::move(status));
  }
  const bool admitted = Admitted(StatusOf(*workload));
  if (Evicted(StatusOf(*workload))) {
    StopGroup(store, group, workload, /*ended_too=*/false);
    if (QuotaReserved(StatusOf(*workload)) && !IsGroupActive(store, group))
      ReleaseEvicted(store, key, *workload);
  } else if (admitted) {
    StartGroup(store, group, *workload);
  } else {
    StopGroup(store, group, workload, /*ended_too=*/false);
  }
}

// The prebuilt Workload, that has the group's name. Fewer pods than it has are no mistake.
Object* KueueController::AdoptForGroup(Store& store, const Group& group) {
  Object* workload = store.Find(workloads_, group.key);
  if (workload == nullptr) {
    StopGroup(store, group, nullptr, /*ended_too=*/false);
    return nullptr;
  }
  OwnByAll(store, group, group.pods, *workload);
  if (Finished(StatusOf(*workload)) || Terminating(workload->body)) return workload;
  std::map<std::string, int64_t> roles;
  for (const ObjectKey& key : group.pods) {
    const Json& pod = store.Find(*group.type, key)->body;
    if (CanRun(pod)) ++roles[RoleOf(pod)];
  }
  for (const Json& pod_set : ArrayAt(workload->body, {"spec", "podSets"})) {
    const auto found = roles.find(std::string(StringAt(pod_set, {"name"})));
    if (found != roles.end() && found->second <= IntAt(pod_set, {"count"})) roles.erase(found);
  }
  if (roles.empty()) return workload;
  Json status = StatusOf(*workload);
  Finish(status, "OutOfSync", "The prebuilt workload is out of sync with its user job",
         IntAt(workload->body, {"metadata", "generation"}));
  WriteStatus(store, {&workloads_, group.key}, *workload, std::move(status));
  return nullptr;
}

// The group's own Workload, made when all pods are there. Of each role, pods that are too many go,
// and failed ones that were replaced are let go.
Object* KueueController::MatchGroup(Store& store, Group& group) {
  Object* workload = store.Find(workloads_, group.key);
  if (workload == nullptr) {
    CreateGroupWorkload(store, group);
    return nullptr;
  }
  if (!IsGroupWorkload(workload->body)) return nullptr;
  if (Finished(StatusOf(*workload)) || Terminating(workload->body)) return workload;
  std::vector<ObjectKey> kept;
  for (const Json& pod_set : ArrayAt(workload->body, {"spec", "podSets"})) {
    const std::string role(StringAt(pod_set, {"name"}));
    const auto count = static_cast<size_t>(IntAt(pod_set, {"count"}));
    std::vector<ObjectKey> live;
    std::vector<ObjectKey> over;
    for (const ObjectKey& key : group.pods) {
      const Json& pod = store.Find(*group.type, key)->body;
      if (RoleOf(pod) == role) (CanRun(pod) ? live : over).push_back(key);
    }
    RemoveExcess(store, group, count, live);
    const size_t wanted = count - live.size();  // of those that are over, to be replaced
    if (over.size() > wanted)
      FinalizePods(store, group, {over.begin(), over.end() - static_cast<ptrdiff_t>(wanted)});
    kept.insert(kept.end(), live.begin(), live.end());
    kept.insert(kept.end(), over.begin(), over.end());
  }
  std::erase_if(kept,
                [&](const ObjectKey& key) { return store.Find(*group.type, key) == nullptr; });
  group.pods = std::move(kept);
  OwnByAll(store, group, group.pods, *workload);
  return group.pods.empty() ? nullptr : workload;
}

void KueueController::RemoveExcess(Store& store, const Group& group, size_t count,
                                   std::vector<ObjectKey>& live) {
  const JobKind& kind = *KindOf(group.type);
  std::ranges::sort(live, {}, [&](const ObjectKey& key) {
    return KeepOrder(kind, store.Find(*group.type, key)->body);
  });
  while (live.size() > count) {
    FinalizePods(store, group, {live.back()});
    if (store.Find(*group.type, live.back()) != nullptr) {
      (void)verbs().Delete(store, {.type = *group.type,
                                   .key = live.back(),
                                   .uid = {},
                                   .resource_version = {},
                                   .propagation = "Background"});
    }
    live.pop_back();
  }
}

void KueueController::CreateGroupWorkload(Store& store, Group& group) {
  const JobKind& kind = *KindOf(group.type);
  std::vector<ObjectKey> live;
  for (const ObjectKey& key : group.pods)
    if (CanRun(store.Find(*group.type, key)->body)) live.push_back(key);
  if (live.empty()) return;
  const auto total = static_cast<size_t>(GroupTotal(store.Find(*group.type, live.front())->body));
  if (total == 0 || live.size() < total) return;
  RemoveExcess(store, group, total, live);
  std::map<std::string, Json> roles;
  Json owners = Json::array();
  for (const ObjectKey& key : live) {
    const Json& pod = store.Find(*group.type, key)->body;
    owners.push_back(MemberReference(pod));
    const auto [role, is_new] = roles.try_emplace(RoleOf(pod));
    if (is_new) {
      role->second = kind.pod_sets(pod)[0];
      role->second["name"] = role->first;
    } else {
      role->second["count"] = IntAt(role->second, {"count"}) + 1;
    }
  }
  Json pod_sets = Json::array();
  for (auto& [role, pod_set] : roles) pod_sets.push_back(std::move(pod_set));
  const Object& first = *store.Find(*group.type, live.front());
  Json body = {{"apiVersion", workloads_.ApiVersion()},
               {"kind", "Workload"},
               {"metadata",
                {{"name", group.key.name},
                 {"annotations", {{names::kIsGroup, "true"}}},
                 {"finalizers", {names::kFinalizer}},
                 {"ownerReferences", std::move(owners)}}},
               {"spec",
                {{"queueName", QueueNameOf(first.body)},
                 {"podSets", std::move(pod_sets)},
                 {"priority", 0},
                 {"active", true}}}};
  FollowPriority(store, first, body["spec"]);
  (void)verbs().Create(
      store, {.type = workloads_, .key = {group.key.ns, ""}, .subresource = {}, .manager = "kueue"},
      std::move(body));
}

void KueueController::OwnByAll(Store& store, const Group& group, const std::vector<ObjectKey>& pods,
                               Object& workload) {
  Json& owners = workload.body["metadata"]["ownerReferences"];
  if (!owners.is_array()) owners = Json::array();
  const size_t before = owners.size();
  for (const ObjectKey& key : pods) {
    Json reference = MemberReference(store.Find(*group.type, key)->body);
    if (EntryNamed(owners, "uid", reference["uid"].get<std::string>()) == nullptr)
      owners.push_back(std::move(reference));
  }
  if (owners.size() != before) store.Touch(workloads_, group.key, workload);
}

std::optional<JobEnd> KueueController::GroupEnd(const Store& store, const Group& group) const {
  const Json& first = store.Find(*group.type, group.pods.front())->body;
  if (PodAnnotation(first, names::kServing) == "true") return std::nullopt;
  int64_t succeeded = 0;
  bool all_ended = true;
  bool retriable = true;
  for (const ObjectKey& key : group.pods) {
    const Json& pod = store.Find(*group.type, key)->body;
    if (PhaseOf(pod) == "Succeeded") ++succeeded;
    all_ended &= PodEnded(pod);
    retriable &= PodAnnotation(pod, names::kRetriable) != "false";
  }
  const int64_t total = GroupTotal(first);
  if (succeeded != total && (!all_ended || retriable)) return std::nullopt;
  return JobEnd{true, fmt::format("Pods succeeded: {}/{}.", succeeded, total)};
}

bool KueueController::IsGroupActive(const Store& store, const Group& group) const {
  return std::ranges::any_of(group.pods, [&](const ObjectKey& key) {
    const Object* pod = store.Find(*group.type, key);
    return pod != nullptr && PhaseOf(pod->body) == "Running" && !Terminating(pod->body);
  });
}

void KueueController::StartGroup(Store& store, const Group& group, const Object& workload) {
  const JobKind& kind = *KindOf(group.type);
  for (const ObjectKey& key : group.pods) {
    Object& pod = *store.Find(*group.type, key);
    if (!IsSuspended(kind, pod.body)) continue;
    Json& labels = pod.body["metadata"]["labels"];
    labels[std::string(names::kPodSet)] = RoleOf(pod.body);
    labels[std::string(names::kLocalQueue)] = StringAt(workload.body, {"spec", "queueName"});
    labels[std::string(names::kClusterQueue)] =
        StringAt(workload.body, {"status", "admission", "clusterQueue"});
    SetSuspended(kind, false, pod.body);
    store.Touch(*group.type, key, pod);
  }
}

void KueueController::StopGroup(Store& store, const Group& group, const Object* workload,
                                bool ended_too) {
  const JobKind& kind = *KindOf(group.type);
  for (const ObjectKey& key : group.pods) {
    const Object* pod = store.Find(*group.type, key);
    const bool rests = IsSuspended(kind, pod->body) || PodEnded(pod->body);
    if (Terminating(pod->body) || (rests && !ended_too)) continue;
    StopPod(store, {group.type, key}, workload);
  }
}

void KueueController::FinalizePods(Store& store, const Group& group,
                                   const std::vector<ObjectKey>& pods) {
  for (const ObjectKey& key : pods) {
    Object* pod = store.Find(*group.type, key);
    if (pod == nullptr || !HoldsPodFinalizer(pod->body)) continue;
    Json& metadata = pod->body["metadata"];
    Json& finalizers = metadata["finalizers"];
    finalizers.erase(std::find(finalizers.begin(), finalizers.end(), names::kManaged));
    const bool gone = finalizers.empty() && Terminating(pod->body);
    if (finalizers.empty()) metadata.erase("finalizers");
    store.Touch(*group.type, key, *pod);
    if (gone) store.Remove(*group.type, key);
  }
}

}  // namespace fedra::sim
