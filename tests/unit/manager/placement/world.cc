#include "tests/unit/manager/placement/world.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/setback.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::placement::testing {
namespace {

using tracking::CheckState;
using tracking::Condition;

Condition True(std::string reason, std::string message, WallTime at) {
  return {true, std::move(reason), std::move(message), at};
}

}  // namespace

World::World(const std::vector<std::string>& workers, Policy policy, JobTraits kind,
             tracking::Mode mode)
    : us_{tracking::TakesOver(mode) ? kKueueOrigin : "fedra", kManager, mode},
      policy_(policy),
      kind_(std::move(kind)) {
  workload_ = std::make_unique<tracking::Workload>();
  workload_->key = Key();
  workload_->uid = kind_.uid;
  workload_->owner = {"batch/v1", "Job", "train", "job-uid"};
  if (kind_.adapter != nullptr) {
    workload_->owner.api_version = kind_.adapter->resource().ApiVersion();
    workload_->owner.kind = kind_.adapter->resource().kind;
  }
  workload_->checks = {{kCheck, CheckState::kPending, "", now_}};
  record_.kept_since = now_;
  workload_->requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(1);
  workload_->priority = {"kueue.x-k8s.io", "WorkloadPriorityClass", "batch", 0};
  job_ = std::make_unique<tracking::Job>();
  job_->key = {"ml", "train"};
  job_->kind = kind_.adapter;
  job_->uid = "job-uid";
  job_->managed_by = tracking::kManagedBy;
  job_->suspended = true;
  for (const std::string& name : workers) {
    ClusterView worker;
    worker.name = ClusterName(name);
    worker.contact = Contact::kFull;
    worker.verdict.outcome = verdict::Outcome::kYes;
    worker.serving = std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{1});
    workers_.push_back(std::move(worker));
  }
}

ClusterView& World::worker(const std::string& name) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const ClusterView& w) { return w.name.value == name; });
  REQUIRE(found != workers_.end());
  return *found;
}

std::shared_ptr<tracking::Workload> World::Edit(ClusterView& worker) {
  auto copy = std::make_shared<tracking::Workload>(*worker.clone);
  worker.clone = copy;
  return copy;
}

std::shared_ptr<tracking::Job> World::EditJob(ClusterView& worker) {
  auto copy = std::make_shared<tracking::Job>(*worker.job);
  worker.job = copy;
  return copy;
}

void World::ReserveQuota() {
  if (workload_ == nullptr || workload_->Finished() || !workload_->active || workload_->Evicted() ||
      workload_->QuotaReserved() || workload_->is_left_unqueued)
    return;
  workload_->quota_reserved = True("QuotaReserved", "", now_);
}

bool World::Admit(const std::string& name) {
  ClusterView& at = worker(name);
  if (!HasOurClone(at) || at.clone->Finished() || at.clone->Admitted()) return false;
  const auto clone = Edit(at);
  clone->quota_reserved = True("QuotaReserved", "", now_);
  clone->admitted = True("Admitted", "", now_);
  clone->evicted.reset();
  // What was evicted is started again: another version of the job, too.
  if (HasItsJob(at) && at.job->suspended && IsAdopted(at)) EditJob(at)->suspended = false;
  return true;
}

void World::EvictOn(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.clone == nullptr || !at.clone->Admitted() || at.clone->Finished()) return;
  const auto clone = Edit(at);
  clone->admitted->is_true = false;
  clone->evicted = True("Preempted", "preempted by a more important one", now_);
  if (!HasOurJob(at)) return;
  const auto job = EditJob(at);
  job->suspended = true;
  job->shows_activity = false;
}

bool World::Finish(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.clone == nullptr || !at.clone->Admitted() || !HasItsJob(at) || at.job->finished ||
      !IsAdopted(at))
    return false;
  const auto job = EditJob(at);
  job->finished = true;
  job->shows_activity = false;
  Edit(at)->finished = True("Succeeded", "Job finished successfully", now_);
  return true;
}

void World::DeleteJobOn(const std::string& name) {
  ClusterView& at = worker(name);
  if (!HasItsJob(at)) return;
  const bool was_owner = kind_.adoption != tracking::Adoption::kOwner ||
                         (at.clone != nullptr && at.clone->owner.uid == at.job->uid);
  at.job = nullptr;
  if (was_owner && at.clone != nullptr && !at.clone->Finished())
    Edit(at)->finished = True(std::string(tracking::kOwnerNotFound), "The owner is gone", now_);
}

void World::DeleteCloneOn(const std::string& name) {
  ClusterView& at = worker(name);
  if (!HasOurClone(at)) return;
  at.clone = nullptr;
  if (!HasOurJob(at) || at.job->finished) return;
  const auto job = EditJob(at);
  job->suspended = true;
  job->shows_activity = false;
}

void World::Disconnect(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.contact == Contact::kNone) return;
  at.contact = Contact::kNone;
  at.lost_since = now_;
  at.lost_why = "connection refused";
}

void World::Reconnect(const std::string& name) {
  worker(name).contact = Contact::kFull;
  worker(name).lost_since.reset();
}

void World::SetContact(const std::string& name, Contact contact) {
  ClusterView& at = worker(name);
  at.contact = contact;
  if (contact == Contact::kFull)
    at.lost_since.reset();
  else if (!at.lost_since)
    at.lost_since = now_;
}
void World::SetVerdict(const std::string& name, verdict::Verdict verdict) {
  worker(name).verdict = std::move(verdict);
}

void World::SetLine(const std::string& worker, LineAnswer answer) {
  lines_[ClusterName(worker)] = std::move(answer);
}

void World::Retry() {
  Advance(std::chrono::milliseconds(1));
  std::erase_if(record_.failures,
                [&](const Failure& failure) { return IsForgotten(failure.at, now_, now_); });
}

void World::AskToMove(tracking::MoveRequest move) {
  workload_->requests =
      std::make_shared<const tracking::JobRequests>(std::nullopt, std::move(move));
}

void World::EvictOnManager(const std::string& previous) {
  if (workload_ == nullptr || workload_->Finished() || !workload_->QuotaReserved()) return;
  const bool preempted = previous == tracking::kPreempted;
  workload_->evicted =
      True(preempted ? std::string(tracking::kPreempted) : "AdmissionCheck", "evicted", now_);
  if (IsTakenOver()) {  // written as Kueue writes it
    workload_->cluster_name.clear();
    workload_->nominated.clear();
  }
  if (State() == CheckState::kPending) return;
  Check() = {kCheck, CheckState::kPending,
             fmt::format("Reset to Pending after eviction. Previously: {}", previous), now_};
}

void World::Deactivate() {
  if (workload_ == nullptr || !workload_->active || workload_->Finished()) return;
  workload_->active = false;
  EvictOnManager(std::string(ToString(State())));
}

void World::Activate() {
  if (workload_ == nullptr) return;
  workload_->active = true;
}

void World::DeleteWorkload() {
  workload_ = nullptr;
  job_ = nullptr;
}

void World::RunManagerKueue() {
  if (workload_ == nullptr || workload_->Finished()) return;
  if (job_->finished) {
    workload_->finished = True("Succeeded", "Job finished successfully", now_);
    return;
  }
  if (State() == CheckState::kRetry) EvictOnManager("Retry");
  if (State() == CheckState::kRejected) Deactivate();
  if (workload_->Evicted() && !job_->shows_activity) {
    // Only what shows no activity is released; the whole eviction can pass unseen.
    workload_->quota_reserved.reset();
    workload_->admitted.reset();
    workload_->evicted->is_true = false;
    workload_->is_left_unqueued = kind_.stays_evicted && workload_->active &&
                                  workload_->evicted->reason == tracking::kPreempted;
    placed_on_.clear();
    job_->suspended = true;
  }
  if (workload_->QuotaReserved() && !workload_->Evicted() && State() == CheckState::kReady &&
      !workload_->Admitted()) {
    workload_->admitted = True("Admitted", "", now_);
    job_->suspended = false;
  }
}

std::vector<std::string> World::WorkersWithJob() const {
  std::vector<std::string> names;
  for (const ClusterView& worker : workers_) {
    if (HasOurJob(worker)) names.push_back(worker.name.value);
  }
  return names;
}

std::vector<std::string> World::WorkersWithClone() const {
  std::vector<std::string> names;
  for (const ClusterView& worker : workers_) {
    if (HasOurClone(worker)) names.push_back(worker.name.value);
  }
  return names;
}

void World::Restart() {
  record_.placing.reset();
  if (record_.reported) record_.reported->rendering = 0;
  record_.kept_since = now_;
}

void World::LoseStore() {
  record_ = {};
  record_.kept_since = now_;
}

}  // namespace fedra::placement::testing
