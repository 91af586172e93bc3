// What Kueue's workload reconciler and scheduler do: pkg/controller/core/workload_controller.go and
// pkg/scheduler of 0.19.2, with one ClusterQueue at a time and no preemption.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/time.h"
#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {
namespace {

int64_t GenerationOf(const Object& object) {
  return IntAt(object.body, {"metadata", "generation"});
}

std::string_view StopPolicy(const Object* queue) {
  const std::string_view policy =
      queue == nullptr ? "" : StringAt(queue->body, {"spec", "stopPolicy"});
  return policy == "None" ? "" : policy;
}

bool AnyCheckIn(const Json& status, std::string_view state) {
  const Json& checks = ArrayAt(status, {"admissionChecks"});
  return std::any_of(checks.begin(), checks.end(),
                     [state](const Json& check) { return StringAt(check, {"state"}) == state; });
}

// Whether a namespace is selected by the ClusterQueue; no selector selects none.
bool Selects(const Object& cluster_queue, const Object* ns) {
  const Json* selector = At(cluster_queue.body, {"spec", "namespaceSelector"});
  if (selector == nullptr || !selector->is_object() || ns == nullptr) return false;
  const Json* labels = At(*selector, {"matchLabels"});
  if (labels == nullptr) return true;
  return std::all_of(labels->items().begin(), labels->items().end(), [ns](const auto& wanted) {
    const auto label = ns->labels->find(wanted.key());
    return label != ns->labels->end() && Json(label->second) == wanted.value();
  });
}

std::set<std::string, std::less<>> FlavorNames(const Json& cluster_queue) {
  std::set<std::string, std::less<>> names;
  for (const Json& group : ArrayAt(cluster_queue, {"spec", "resourceGroups"}))
    for (const Json& flavor : ArrayAt(group, {"flavors"}))
      names.emplace(StringAt(flavor, {"name"}));
  return names;
}

// The checks that the Workload needs: with quota those of a flavor that it has been given, without
// those of all flavors (AdmissionChecksForWorkload of pkg/workload/workload.go). Quota that has no
// flavor needs none.
std::vector<std::string> ChecksFor(const Json& cluster_queue, const Json& status) {
  const bool admitted = At(status, {"admission"}) != nullptr;
  std::set<std::string, std::less<>> assigned;
  for (const Json& pod_set : ArrayAt(status, {"admission", "podSetAssignments"})) {
    if (const Json* flavors = At(pod_set, {"flavors"}))
      for (const auto& flavor : flavors->items()) assigned.insert(flavor.value());
  }
  const std::set<std::string, std::less<>> all = FlavorNames(cluster_queue);
  std::vector<std::string> names;
  for (const Json& check :
       ArrayAt(cluster_queue, {"spec", "admissionChecksStrategy", "admissionChecks"})) {
    std::set<std::string, std::less<>> its = all;
    if (const Json& listed = ArrayAt(check, {"onFlavors"}); !listed.empty())
      its = listed.get<std::set<std::string, std::less<>>>();
    const auto has = [&its](const std::string& flavor) { return its.contains(flavor); };
    if (admitted ? std::ranges::any_of(assigned, has) : std::ranges::all_of(all, has))
      names.emplace_back(StringAt(check, {"name"}));
  }
  return names;
}

// What its admission is charged.
Amounts UsageOf(const Json& status) {
  Amounts used;
  for (const Json& assignment : ArrayAt(status, {"admission", "podSetAssignments"})) {
    const Json* usage = At(assignment, {"resourceUsage"});
    if (usage == nullptr) continue;
    for (const auto& entry : usage->items()) used[entry.key()] += ParseMilli(entry.value());
  }
  return used;
}

// The latest time that a check in state Retry asked to wait until.
std::optional<WallTime> RetryTime(const Json& status) {
  std::optional<WallTime> latest;
  for (const Json& check : ArrayAt(status, {"admissionChecks"})) {
    if (StringAt(check, {"state"}) != "Retry" || !check.contains("requeueAfterSeconds")) continue;
    const auto changed = ParseRfc3339(StringAt(check, {"lastTransitionTime"}));
    if (!changed) continue;
    const auto until = *changed + std::chrono::seconds(IntAt(check, {"requeueAfterSeconds"}));
    if (!latest || *latest < until) latest = until;
  }
  return latest;
}

}  // namespace

void KueueController::ReconcileWorkload(Store& store, const Place& place) {
  Object* workload = store.Find(workloads_, place.key);
  if (workload == nullptr) {
    admissible_since_.erase(place.key);
    quota_.StopWaiting(place.key);
    return Free(place.key);
  }
  Account(place, *workload);
  if (FinalizeOrphan(store, place, *workload) || Finished(StatusOf(*workload))) return;
  const int64_t generation = GenerationOf(*workload);
  if (Active(workload->body) && IsTrue(StatusOf(*workload), "DeactivationTarget")) {
    workload->body["spec"]["active"] = false;
    workload->body["metadata"]["generation"] = generation + 1;
    return store.Touch(workloads_, place.key, *workload);
  }
  Json status = StatusOf(*workload);
  const Queues queues = QueuesOf(store, workload->body);
  if (!Active(workload->body)) {
    Deactivate(workload->owners, status, generation);
  } else if (Requeue(place, status, generation) &&
             !RefuseClaims(store, *workload, queues.cluster_name, status)) {
    if (queues.cluster != nullptr)
      (void)SyncChecks(status, ChecksFor(queues.cluster->body, status));
    if (!Admitted(status)) {
      const bool had_quota = QuotaReserved(status);
      if (!had_quota) TryReserve(store, place, *workload, queues, status);
      if (!had_quota && QuotaReserved(status)) ReplaceSlice(store, *workload, status);
      SyncAdmitted(status, generation);
    }
    if (QuotaReserved(status)) EvictOrDrain(*workload, queues, status);
  }
  if (status == StatusOf(*workload)) return;
  WriteStatus(store, place, *workload, std::move(status));
  Account(place, *workload);
}

// Without an owner there is no job that will ever finish it: Kueue does, and lets it go.
bool KueueController::FinalizeOrphan(Store& store, const Place& place, Object& workload) {
  const auto is_there = [&store](const std::string& uid) { return store.WhereIs(uid) != nullptr; };
  if (IsGroupWorkload(workload.body)) {
    // Its pods come and go. Kueue finishes none for want of them: the garbage collector takes it.
    const bool is_owned = std::ranges::any_of(workload.owner_uids, is_there);
    if (is_owned || (workload.owner_uids.empty() && !Terminating(workload.body))) return false;
    RemoveFinalizer(store, place, workload);
    return true;
  }
  const bool labelled = !StringAt(workload.body, {"metadata", "labels", names::kJobUid}).empty();
  const bool unowned = workload.owner_uids.empty() && (Terminating(workload.body) || labelled);
  const bool lost = std::any_of(
      workload.owner_uids.begin(), workload.owner_uids.end(), [&store](const std::string& uid) {
        const Place* owner = store.WhereIs(uid);
        const Object* object = owner == nullptr ? nullptr : store.Find(*owner->type, owner->key);
        return object == nullptr || Terminating(object->body);
      });
  if (!unowned && !lost) return false;
  if (Terminating(workload.body)) {
    RemoveFinalizer(store, place, workload);
    return true;
  }
  if (Finished(StatusOf(workload))) return true;
  Json status = StatusOf(workload);
  Finish(status, "OwnerNotFound", "The workload's owner no longer exists", GenerationOf(workload));
  WriteStatus(store, place, workload, std::move(status));
  Account(place, workload);
  return true;
}

// Quota follows the status, whichever client wrote it.
void KueueController::Account(const Place& place, const Object& workload) {
  const Json& status = StatusOf(workload);
  if (!QuotaReserved(status) || Finished(status) || !Active(workload.body)) {
    if (Finished(status)) quota_.StopWaiting(place.key);
    return Free(place.key);
  }
  const std::string queue(StringAt(status, {"admission", "clusterQueue"}));
  quota_.Hold(place.key, queue, UsageOf(status));
  Enqueue({&cluster_queues_, {"", queue}});  // which says what is reserved
}

void KueueController::Free(const ObjectKey& workload) {
  const std::string queue = quota_.Release(workload);
  if (queue.empty()) return;
  Enqueue({&cluster_queues_, {"", queue}});
  WakeNext(queue);
}

void KueueController::WakeNext(const std::string& cluster_queue) {
  if (cluster_queue.empty()) return;
  for (const ObjectKey& key : quota_.NextFor(cluster_queue)) Enqueue({&workloads_, key});
}

// After an eviction. False: it has to wait longer.
bool KueueController::Requeue(const Place& place, Json& status, int64_t generation) {
  if (!IsFalse(status, "Requeued")) return true;
  const std::string reason(StringAt(*FindCondition(status, "Requeued"), {"reason"}));
  if (reason == "Deactivated" || reason.starts_with("DeactivatedDueTo")) {
    SetCondition(status, {"Requeued", true, "Reactivated", "The workload was reactivated"},
                 generation);
  } else if (reason == "AdmissionCheck" || reason == "PodsReadyTimeout") {
    const auto until = ParseRfc3339(StringAt(status, {"requeueState", "requeueAt"}));
    const WallTime now = SystemClock().Now();
    if (until && *until > now) {
      EnqueueAfter(place, *until - now);
      return false;
    }
    status.erase("requeueState");
    SetCondition(status, {"Requeued", true, "BackoffFinished", "The workload backoff was finished"},
                 generation);
  }
  return true;
}

void KueueController::Deactivate(const Owners& owners, Json& status, int64_t generation) {
  if (Evicted(status)) return;
  std::string reason = "Deactivated";
  std::string message = "The workload is deactivated";
  if (const Json* target = FindCondition(status, "DeactivationTarget")) {
    reason += fmt::format("DueTo{}", StringAt(*target, {"reason"}));
    message += fmt::format(" due to {}", StringAt(*target, {"message"}));
  }
  RemoveCondition(status, "DeactivationTarget");
  status.erase("requeueState");
  PrepareEviction(status, owners, reason, message, generation);
}

void KueueController::EvictOrDrain(const Object& workload, const Queues& queues, Json& status) {
  if (Evicted(status)) return;
  const int64_t generation = GenerationOf(workload);
  const auto evict = [&](const std::string& reason, const std::string& message) {
    PrepareEviction(status, workload.owners, reason, message, generation);
  };
  if (AnyCheckIn(status, "Rejected")) {
    SetCondition(status,
                 {"DeactivationTarget", true, "AdmissionCheck", ChecksIn(status, "Rejected")},
                 generation);
    return;
  }
  if (AnyCheckIn(status, "Retry")) {
    if (const auto until = RetryTime(status)) {
      status["requeueState"] = {{"requeueAt", FormatRfc3339(*until)}};
    }
    return evict("AdmissionCheck", "Evicted due to " + ChecksIn(status, "Retry"));
  }
  if (Admitted(status)) {
    if (StopPolicy(queues.local) == "HoldAndDrain") {
      evict("LocalQueueStopped", "The LocalQueue is stopped");
    } else if (StopPolicy(queues.cluster) == "HoldAndDrain") {
      evict("ClusterQueueStopped", "The ClusterQueue is stopped");
    }
    return;
  }
  std::string problem;
  if (queues.local == nullptr) {
    problem = fmt::format("LocalQueue {} is terminating or missing", queues.local_name);
  } else if (!StopPolicy(queues.local).empty()) {
    problem = fmt::format("LocalQueue {} is stopped", queues.local_name);
  } else if (queues.cluster == nullptr) {
    problem = fmt::format("ClusterQueue {} is terminating or missing", queues.cluster_name);
  } else if (!StopPolicy(queues.cluster).empty()) {
    problem = fmt::format("ClusterQueue {} is stopped", queues.cluster_name);
  }
  if (!problem.empty()) UnsetQuota(status, "Inadmissible", problem, generation);
}

// Before it looks at the queues, and before it writes the admission checks.
bool KueueController::RefuseClaims(const Store& store, const Object& workload,
                                   const std::string& queue, Json& status) const {
  if (options_.device_classes.empty() || QuotaReserved(status)) return false;
  const auto requests = RequestsOf(store, workload, queue);
  if (requests) return false;
  const int64_t generation = GenerationOf(workload);
  SetCondition(status, {"Requeued", false, "Inadmissible", requests.error()}, generation);
  SetCondition(status, {"QuotaReserved", false, "Inadmissible", requests.error()}, generation);
  status.erase("admission");
  return true;
}

void KueueController::TryReserve(Store& store, const Place& place, const Object& workload,
                                 const Queues& queues, Json& status) {
  const int64_t generation = GenerationOf(workload);
  if (const Json* quota = FindCondition(status, "QuotaReserved");
      quota != nullptr && StringAt(*quota, {"reason"}) == "OnHold")
    return;
  const auto inadmissible = [&](const std::string& reason, const std::string& why) {
    SetCondition(status, {"QuotaReserved", false, reason, why}, generation);
    status.erase("admission");
  };
  if (queues.local == nullptr) {
    return inadmissible("Inadmissible",
                        fmt::format("LocalQueue {} doesn't exist", queues.local_name));
  }
  if (!StopPolicy(queues.local).empty()) {
    return inadmissible("Inadmissible",
                        fmt::format("LocalQueue {} is inactive", queues.local_name));
  }
  if (queues.cluster == nullptr) {
    return inadmissible("Inadmissible",
                        fmt::format("ClusterQueue {} doesn't exist", queues.cluster_name));
  }
  if (!IsTrue(StatusOf(*queues.cluster), "Active")) {
    return inadmissible("Inadmissible",
                        fmt::format("ClusterQueue {} is inactive", queues.cluster_name));
  }
  // "Inadmissible" is looked at again whenever something changes; other reasons end elsewhere.
  const Json* requeued = FindCondition(status, "Requeued");
  const bool refused =
      IsFalse(status, "Requeued") && StringAt(*requeued, {"reason"}) == "Inadmissible";
  if (!options_.admit || (IsFalse(status, "Requeued") && !refused)) return;
  if (!Selects(*queues.cluster, store.Find(namespaces_, {"", place.key.ns}))) {
    return inadmissible("Inadmissible", "Workload namespace doesn't match ClusterQueue selector");
  }
  const auto requests = RequestsOf(store, workload, queues.cluster_name);
  if (!requests) return;  // RefuseClaims() has said so
  if (refused) RemoveCondition(status, "Requeued");
  if (!LatencyOver(place)) return;
  Amounts total;
  for (const Amounts& amounts : *requests) {
    for (const auto& [resource, amount] : amounts) total[resource] += amount;
  }
  // The place of the one that it replaces is its own.
  Amounts more = total;
  if (const Object* replaced = FindReplaced(store, workload.body); replaced != nullptr)
    for (const auto& [resource, amount] : UsageOf(StatusOf(*replaced))) more[resource] -= amount;
  const std::string why = quota_.WhyNot(queues.cluster_name, more);
  if (!why.empty()) {
    quota_.Wait(place.key, queues.cluster_name, more);
    return inadmissible("Pending", fmt::format("couldn't assign flavors to pod set main: {}", why));
  }
  Json admission = MakeAdmission(workload.body, queues.cluster_name, quota_, *requests);
  if (const std::string unsuited = AssignTopology(store, *queues.cluster, workload.body, admission);
      !unsuited.empty())
    return inadmissible("Pending",
                        fmt::format("couldn't assign flavors to pod set main: {}", unsuited));
  quota_.Hold(place.key, queues.cluster_name, std::move(total));
  admissible_since_.erase(place.key);
  ReserveQuota(status, std::move(admission), generation);
  WakeNext(queues.cluster_name);
}

bool KueueController::LatencyOver(const Place& place) {
  if (options_.admission_latency.count() == 0) return true;
  const auto now = Clock::now();
  const auto since = admissible_since_.try_emplace(place.key, now).first->second;
  const auto left = since + options_.admission_latency - now;
  if (left <= Clock::duration::zero()) return true;
  EnqueueAfter(place, std::chrono::ceil<Delay>(left));
  return false;
}

}  // namespace fedra::sim
