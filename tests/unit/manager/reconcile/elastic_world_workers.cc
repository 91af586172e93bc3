// The workers' Kueue 0.19.2, where the copy names its Workload (ensureOneWorkload and
// ReconcileGenericJob of pkg/controller/jobframework/reconciler.go), and their Job controllers and
// garbage collectors: one write a step.

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"
#include "tests/unit/manager/reconcile/elastic_world.h"

namespace fedra::reconcile::testing {

using tracking::Job;
using tracking::Workload;

std::vector<std::string> ElasticWorld::WaitingOn(const std::string& worker) const {
  return WaitingOf(At(worker).clones);
}

bool ElasticWorld::Admit(const std::string& worker, const std::string& clone) {
  WorkerModel& at = At(worker);
  const auto seen = at.clones.Find(clone);
  if (seen == nullptr || !MayGetQuota(*seen)) return false;
  const auto replaced = at.clones.Find(seen->slice->replaces);
  Edit(at.clones, clone, [&](Workload& it) {
    it.quota_reserved = True("QuotaReserved");
    it.admitted = True("Admitted");
    it.evicted.reset();
  });
  Tell(fmt::format("{}: admits clone {}", worker, clone));
  if (IsReplaceable(replaced.get())) at.to_finish.push_back(replaced->key.name);
  return true;
}

bool ElasticWorld::FinishReplacedOn(const std::string& worker) {
  WorkerModel& at = At(worker);
  if (at.to_finish.empty()) return false;
  const std::string name = at.to_finish.front();
  at.to_finish.erase(at.to_finish.begin());
  const auto replaced = at.clones.Find(name);
  if (replaced == nullptr || replaced->Finished()) return true;
  Finish(at.clones, name, tracking::kSliceReplaced);
  Tell(fmt::format("{}: clone {} is replaced", worker, name));
  return true;
}

// The owner of a clone is the copy that names it, or has: the garbage collector takes it with that.
bool ElasticWorld::CollectClones(WorkerModel& at) {
  const auto copy = at.jobs.Find(kJobName);
  for (const auto& clone : at.clones.List()) {
    if (clone->owner.uid.empty() || (copy != nullptr && copy->uid == clone->owner.uid)) continue;
    Tell(fmt::format("{}: clone {} goes with its job", at.name, clone->key.name));
    if (!clone->Finished())
      Finish(at.clones, clone->key.name, tracking::kOwnerNotFound);
    else
      at.clones.Erase(clone->key.name);
    return true;
  }
  return false;
}

bool ElasticWorld::ReconcileJobOn(const std::string& worker) {
  WorkerModel& at = At(worker);
  const auto copy = at.jobs.Find(kJobName);
  if (copy == nullptr) return CollectClones(at);
  const auto suspend = [&](bool suspended, std::string_view why) {
    if (copy->suspended == suspended || copy->finished) return false;
    Edit(at.jobs, kJobName, [&](Job& it) { it.suspended = suspended; });
    Tell(fmt::format("{}: {} the copy: {}", worker, suspended ? "suspends" : "starts", why));
    CheckRuns();
    return true;
  };
  const auto clone = at.clones.Find(copy->prebuilt_workload);
  if (clone == nullptr || (!clone->owner.uid.empty() && clone->owner.uid != copy->uid))
    return suspend(true, "its clone is missing") || CollectClones(at);
  const std::string& name = clone->key.name;
  if (clone->owner.uid.empty()) {
    Edit(at.clones, name,
         [&](Workload& it) { it.owner = {"batch/v1", "Job", kJobName, copy->uid}; });
    Tell(fmt::format("{}: the copy owns clone {}", worker, name));
    return true;
  }
  if (clone->slice->replaces.empty() && clone->slice->pod_counts != copy->pod_counts) {
    if (clone->Finished()) return suspend(true, "its clone is out of sync");
    Finish(at.clones, name, tracking::kOutOfSync);
    Tell(fmt::format("{}: clone {} is out of sync", worker, name));
    return true;
  }
  if (clone->Finished()) return CollectClones(at);
  if (copy->finished) {
    Finish(at.clones, name, copy->failed ? tracking::kFailed : tracking::kSucceeded);
    Tell(fmt::format("{}: clone {} ends with its job", worker, name));
    return true;
  }
  if (clone->Evicted()) {
    if (suspend(true, "it is evicted")) return true;
    if (copy->shows_activity || !clone->QuotaReserved()) return false;
    Edit(at.clones, name, [](Workload& it) {
      it.quota_reserved.reset();
      it.admitted.reset();
    });
    Tell(fmt::format("{}: takes the quota of clone {}", worker, name));
    return true;
  }
  return (clone->Admitted() && suspend(false, "it is admitted")) || CollectClones(at);
}

bool ElasticWorld::RunJobOn(const std::string& worker) {
  WorkerModel& at = At(worker);
  const auto copy = at.jobs.Find(kJobName);
  if (copy == nullptr || copy->finished || copy->shows_activity == !copy->suspended) return false;
  Edit(at.jobs, kJobName, [](Job& it) { it.shows_activity = !it.suspended; });
  Tell(fmt::format("{}: the copy's pods have {}", worker, copy->suspended ? "ended" : "begun"));
  return true;
}

void ElasticWorld::EvictOn(const std::string& worker) {
  WorkerModel& at = At(worker);
  for (const auto& each : at.clones.List()) {
    if (each->Finished() || !each->Admitted() || each->Evicted()) continue;
    Edit(at.clones, each->key.name, [&](Workload& it) { it.evicted = True(tracking::kPreempted); });
    causes_.insert(Cause::kEviction);
    Tell(fmt::format("{}: evicts clone {}", worker, each->key.name));
    return;
  }
}

void ElasticWorld::EndJobOn(const std::string& worker) {
  WorkerModel& at = At(worker);
  const auto copy = at.jobs.Find(kJobName);
  if (copy == nullptr || !copy->shows_activity || copy->suspended || copy->finished) return;
  Edit(at.jobs, kJobName, [&](Job& it) {
    it.finished = true;
    it.shows_activity = false;
    it.failed = writes_ % 2 == 0;
  });
  causes_.insert(Cause::kEnd);
  Tell(worker + ": the job ends");
}

}  // namespace fedra::reconcile::testing
