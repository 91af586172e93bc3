// A job of several Workloads, one for each of its replicas: reconcileWorkloads() in
// pkg/controller/jobs/leaderworkerset/leaderworkerset_reconciler.go of Kueue 0.19.2. Its own
// controller is played, too: the status says how many replicas run.

#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {

void KueueController::ReconcileParts(Store& store, const Place& place, const JobKind& kind) {
  const Object* set = store.Find(*place.type, place.key);
  const int64_t parts = kind.parts(set->body);
  const std::string uid(StringAt(set->body, {"metadata", "uid"}));
  // A copy joins the clones that are there, and makes none.
  const bool is_copy = !StringAt(set->body, {"metadata", "labels", names::kOrigin}).empty();
  std::set<ObjectKey> wanted;
  int64_t running = 0;
  for (int64_t i = 0; i < parts; ++i) {
    const std::string part = std::to_string(i);
    Object& job = *store.Find(*place.type, place.key);
    const ObjectKey key{place.key.ns, WorkloadNameOf(kind, job.body, part)};
    wanted.insert(key);
    Object* workload = FindGroupWorkload(store, place, job, part);
    if (workload != nullptr) {
      if (KeepPart(store, key, *workload)) ++running;
    } else if (!is_copy) {
      CreateWorkload(store, place, job, part);
    }
  }
  RemoveParts(store, uid, wanted);
  Object& job = *store.Find(*place.type, place.key);
  Json status = {{"replicas", parts}, {"readyReplicas", running}};
  if (job.body.value("status", Json::object()) == status) return;
  job.body["status"] = std::move(status);
  store.Touch(*place.type, place.key, job);
}

bool KueueController::KeepPart(Store& store, const ObjectKey& key, Object& workload) {
  const Json status = StatusOf(workload);
  if (Finished(status) || Terminating(workload.body)) {
    RemoveFinalizer(store, {&workloads_, key}, workload);
    return false;
  }
  if (Evicted(status)) {
    if (QuotaReserved(status)) ReleaseEvicted(store, key, workload);
    return false;
  }
  return Admitted(status);
}

void KueueController::RemoveParts(Store& store, const std::string& job_uid,
                                  const std::set<ObjectKey>& wanted) {
  for (const Place& child : store.Dependents(job_uid)) {
    if (child.type != &workloads_ || wanted.contains(child.key)) continue;
    Object* workload = store.Find(workloads_, child.key);
    if (workload == nullptr) continue;
    RemoveFinalizer(store, child, *workload);
    (void)verbs().Delete(store, {.type = workloads_,
                                 .key = child.key,
                                 .uid = {},
                                 .resource_version = {},
                                 .propagation = "Background"});
  }
}

}  // namespace fedra::sim
