// The manager's Kueue 0.19.2, one write a step: EnsureWorkloadSlices and normalizeActiveSlices of
// pkg/workloadslicing/workloadslicing.go, ReconcileGenericJob of
// pkg/controller/jobframework/reconciler.go, and of pkg/scheduler/scheduler.go admit(), which first
// gives the new slice its quota, with the clusterName of the one before, and then finishes that one
// (replaceWorkloadSlice). An eviction stays true until the next reservation (SetQuotaReservation in
// pkg/workload/workload.go), and takes clusterName back (resetClusterNomination in
// pkg/workload/evict/evict.go) by an apply: one that fedra has written by a patch stays, but in
// mode multikueue fedra writes as Kueue does.

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"
#include "tests/unit/manager/reconcile/elastic_world.h"

namespace fedra::reconcile::testing {

using tracking::CheckState;
using tracking::Job;
using tracking::Slice;
using tracking::Workload;

namespace {

void SetCounts(const std::vector<int>& counts, Workload& workload) {
  Slice slice = *workload.slice;
  slice.pod_counts = counts;
  workload.slice = std::make_shared<const Slice>(std::move(slice));
}

bool Shrinks(const std::vector<int>& from, const std::vector<int>& to) {
  return from != to && std::ranges::equal(to, from, std::ranges::less_equal());
}

}  // namespace

bool ElasticWorld::MayGetQuota(const Workload& workload) {
  return !workload.QuotaReserved() && !workload.Finished() && !workload.deleting;
}

bool ElasticWorld::IsReplaceable(const Workload* replaced) {
  return replaced != nullptr && replaced->QuotaReserved() && !replaced->Finished();
}

std::vector<std::string> ElasticWorld::WaitingOf(const Shelf<Workload>& shelf) {
  std::vector<std::string> names;
  for (const auto& each : shelf.List())
    if (MayGetQuota(*each)) names.push_back(each->key.name);
  return names;
}

std::vector<ElasticWorld::WorkloadPtr> ElasticWorld::Living() const {
  std::vector<WorkloadPtr> living;
  for (auto& each : workloads_.List())
    if (!each->Finished()) living.push_back(each);
  // Of one second by UID, which says nothing of their order.
  std::ranges::sort(living, {}, [](const auto& it) {
    return std::pair(it->created, std::stoi(it->uid.substr(it->uid.rfind('-') + 1)) * 31 % 97);
  });
  return living;
}

ElasticWorld::WorkloadPtr ElasticWorld::SelectSlice(const std::vector<WorkloadPtr>& living,
                                                    bool& wrote) {
  std::map<std::string, WorkloadPtr> replacements;
  for (const auto& each : living) {
    if (each->slice->replaces.empty() || each->Evicted()) continue;
    WorkloadPtr& known = replacements[each->slice->replaces];
    if (known == nullptr || (!known->QuotaReserved() && each->QuotaReserved())) known = each;
  }
  WorkloadPtr running, waiting, newest;
  for (const auto& each : living) {
    if (each->Evicted()) continue;
    newest = each;
    const auto next = replacements.find(each->key.name);
    const bool is_replaced = next != replacements.end() && next->second->QuotaReserved();
    if (each->QuotaReserved() && !is_replaced) running = each;
  }
  if (running != nullptr)
    if (const auto next = replacements.find(running->key.name); next != replacements.end())
      waiting = next->second;
  WorkloadPtr selected = waiting != nullptr ? waiting : running != nullptr ? running : newest;
  for (const auto& each : living) {
    if (each == selected || each == running) continue;
    const bool is_replaced = replacements.contains(each->key.name);
    Finish(workloads_, each->key.name,
           is_replaced ? tracking::kSliceReplaced : tracking::kOutOfSync);
    Tell("kueue: finishes slice " + each->key.name);
    wrote = true;
    return selected;
  }
  return selected;
}

bool ElasticWorld::CollectOrphans() {
  for (const auto& each : workloads_.List()) {
    Tell("kueue: the slice of a deleted job goes: " + each->key.name);
    if (!each->deleting)
      Edit(workloads_, each->key.name, [](Workload& it) { it.deleting = true; });
    else
      workloads_.Erase(each->key.name);
    return true;
  }
  return false;
}

void ElasticWorld::CreateSlice(const Job& job, const std::vector<WorkloadPtr>& living) {
  Workload made;
  made.key = {"ml", fmt::format("train-{}", generation_)};
  made.created = std::chrono::floor<std::chrono::seconds>(now_);
  made.owner = {"batch/v1", "Job", kJobName, job.uid};
  made.requirement.kind = "Job.batch";
  made.checks = {{kCheck, CheckState::kPending, "", made.created}};
  Slice slice{made.key.name, "", job.pod_counts};
  if (!living.empty()) {
    slice.chain = living.front()->slice->chain;
    slice.replaces = living.front()->key.name;
  }
  made.slice = std::make_shared<const Slice>(std::move(slice));
  Tell("kueue: makes slice " + made.key.name);
  workloads_.Put(std::move(made));
}

bool ElasticWorld::ReconcileJob() {
  const auto job = jobs_.Find(kJobName);
  if (job == nullptr) return CollectOrphans();
  const std::vector<WorkloadPtr> living = Living();
  WorkloadPtr selected = living.empty() ? nullptr : living.front();
  if (living.size() > 1) {
    bool wrote = false;
    selected = SelectSlice(living, wrote);
    if (wrote) return true;
  }
  const bool differs = selected == nullptr || selected->slice->pod_counts != job->pod_counts;
  if (selected != nullptr && differs) {
    if (!selected->QuotaReserved() || Shrinks(selected->slice->pod_counts, job->pod_counts)) {
      Edit(workloads_, selected->key.name, [&](Workload& it) { SetCounts(job->pod_counts, it); });
      Tell("kueue: changes the counts of slice " + selected->key.name);
      return true;
    }
    selected = nullptr;  // a new one
  }
  if (selected == nullptr) {
    const bool is_taken = workloads_.Find(fmt::format("train-{}", generation_)) != nullptr;
    if (job->finished || living.size() > 1 || is_taken) return false;
    CreateSlice(*job, living);
    return true;
  }
  if (!job->finished) return FollowWorkload(*selected);
  Finish(workloads_, selected->key.name, job->failed ? tracking::kFailed : tracking::kSucceeded);
  Tell("kueue: the job has ended, and slice " + selected->key.name);
  return true;
}

bool ElasticWorld::FollowWorkload(const Workload& selected) {
  const auto job = jobs_.Find(kJobName);
  const std::string& name = selected.key.name;
  const auto suspend = [&](bool suspended) {
    Edit(jobs_, kJobName, [&](Job& it) { it.suspended = suspended; });
    Tell(suspended ? "kueue: suspends the job" : "kueue: starts the job");
    return true;
  };
  if (selected.Evicted()) {
    if (!job->suspended) return suspend(true);
    if (job->shows_activity || !selected.QuotaReserved()) return false;
    Edit(workloads_, name, [](Workload& it) {
      it.quota_reserved.reset();
      it.admitted.reset();
    });
    Tell("kueue: takes the quota of " + name);
    return true;
  }
  return job->suspended && selected.Admitted() ? suspend(false) : false;
}

std::vector<std::string> ElasticWorld::Waiting() const { return WaitingOf(workloads_); }

bool ElasticWorld::Reserve(const std::string& slice) {
  const auto seen = workloads_.Find(slice);
  if (seen == nullptr || !MayGetQuota(*seen)) return false;
  const auto replaced = workloads_.Find(seen->slice->replaces);
  const bool replaces = IsReplaceable(replaced.get());
  Edit(workloads_, slice, [&](Workload& it) {
    it.quota_reserved = True("QuotaReserved");
    it.evicted.reset();
    if (replaces) it.cluster_name = replaced->cluster_name;
  });
  if (replaces) kueues_places_.insert(slice);
  Tell(fmt::format("kueue: quota for slice {}{}", slice, replaces ? ", for that before" : ""));
  if (!replaces) return true;
  to_finish_.push_back(replaced->key.name);
  handed_over_ += replaced->cluster_name.empty() ? 0 : 1;
  return true;
}

bool ElasticWorld::FinishReplaced() {
  if (to_finish_.empty()) return false;
  const std::string name = to_finish_.front();
  to_finish_.erase(to_finish_.begin());
  const auto replaced = workloads_.Find(name);
  if (replaced == nullptr || replaced->Finished()) return true;
  Finish(workloads_, name, tracking::kSliceReplaced);
  Tell("kueue: slice " + name + " is replaced");
  return true;
}

void ElasticWorld::EvictSlice(const std::string& slice, std::string_view reason) {
  Edit(workloads_, slice, [&](Workload& it) {
    it.evicted = True(reason);
    const bool is_kueues = kueues_places_.contains(slice);
    if (is_kueues || tracking::TakesOver(mode_)) it.cluster_name.clear();
    if (tracking::TakesOver(mode_)) it.nominated.clear();
    auto& check = it.checks.front();
    if (check.state == CheckState::kPending) return;
    check = {kCheck, CheckState::kPending,
             fmt::format("Reset to Pending after eviction. Previously: {}", ToString(check.state)),
             std::chrono::floor<std::chrono::seconds>(now_)};
  });
  Tell(fmt::format("kueue: evicts slice {}: {}", slice, reason));
}

bool ElasticWorld::SyncAdmission() {
  for (const auto& each : workloads_.List()) {
    if (each->Finished() || !each->QuotaReserved() || each->Evicted()) continue;
    if (each->checks.front().state == CheckState::kRetry) {
      EvictSlice(each->key.name, "AdmissionCheck");
      return true;
    }
    if (each->checks.front().state == CheckState::kReady && !each->Admitted()) {
      Edit(workloads_, each->key.name, [&](Workload& it) { it.admitted = True("Admitted"); });
      Tell("kueue: slice " + each->key.name + " is admitted");
      return true;
    }
  }
  return false;
}

void ElasticWorld::Preempt() {
  for (const auto& each : workloads_.List()) {
    if (each->Finished() || !each->QuotaReserved() || each->Evicted()) continue;
    causes_.insert(Cause::kEviction);
    return EvictSlice(each->key.name, tracking::kPreempted);
  }
}

}  // namespace fedra::reconcile::testing
