// The executor's part of the world: what each action does to it, and what must hold then.

#include <algorithm>
#include <utility>
#include <variant>

#include "manager/tracking/kueue_api.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {

using tracking::CheckState;

void World::Carry(const Action& action) {
  std::visit([this](const auto& one) { Apply(one); }, action);
}

// As StatusPatch() dates it.
void World::WriteCheck(CheckState state, const std::string& message, bool places) {
  WallTime since = state == State() ? Check().since : now_;
  if (state == CheckState::kPending && workload_->QuotaReserved()) {
    const auto after = places ? tracking::kHeldAfterQuota : std::chrono::seconds(0);
    since = std::max(since, workload_->quota_reserved->since + after);
  }
  Check() = {kCheck, state, message, since};
  ++writes_;
}

void World::Apply(const SetCheck& action) {
  if (action.state == CheckState::kRetry && RunsWell()) {
    ++moves_;
    CheckMoveHasTarget();
  }
  WriteCheck(action.state, action.message);
  if (action.reported) record_.reported = action.reported;
}

void World::Apply(const Nominate& action) {
  // Kueue's rules: names only while no winner is recorded, and no more than the CRD takes.
  REQUIRE(workload_->cluster_name.empty());
  REQUIRE(action.clusters.size() <= 20);
  REQUIRE_FALSE(workload_->Evicted());
  REQUIRE_FALSE(action.message.empty());
  CheckDispatch(action.clusters);
  if (!action.clusters.empty() && IsCrossing()) ++crossings_;
  workload_->nominated.clear();
  for (const ClusterName& name : action.clusters) workload_->nominated.push_back(name.value);
  WriteCheck(CheckState::kPending, action.message);
  record_.reported = action.reported;
  record_.nominated = action.clusters;
  if (!action.new_round) return;
  // Like the executor's: it begins after what the same decision recorded before it.
  now_ += std::chrono::milliseconds(1);
  ++record_.attempt;
  record_.nominated_at = now_;
  tried_.clear();
}

void World::Apply(const placement::Admit& action) {
  INFO(Print());
  // Invariant 4, which the CRD enforces as well.
  const auto& nominated = workload_->nominated;
  REQUIRE(std::find(nominated.begin(), nominated.end(), action.cluster.value) != nominated.end());
  REQUIRE(worker(action.cluster.value).clone != nullptr);
  REQUIRE(HasOurClone(worker(action.cluster.value)));
  REQUIRE(worker(action.cluster.value).clone->Admitted());
  // Where it has ended it is not run again for a move.
  const auto& job = worker(action.cluster.value).job;
  if (job == nullptr || !job->finished) CheckMoveLets(action.cluster);
  workload_->cluster_name = placed_on_ = action.cluster.value;
  workload_->nominated.clear();
  REQUIRE(action.holds_check == kind_.holds_check);
  WriteCheck(kind_.holds_check ? CheckState::kPending : CheckState::kReady, action.message,
             /*places=*/true);
}

void World::Apply(const ClearPlacement& action) {
  workload_->cluster_name.clear();
  workload_->nominated.clear();
  WriteCheck(CheckState::kPending, action.message);
  record_.reported = CheckReport{};
  record_.nominated.clear();
  record_.nominated_at.reset();
}

void World::Apply(const CreateClone& action) {
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(at.contact != Contact::kNone);
  if (at.clone != nullptr) return;
  at.clone = MakeClone(at, Marks());
}

void World::Apply(const DeleteRemote& action) {
  INFO(Print());
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(at.contact != Contact::kNone);
  // Invariant 2: there is something of ours to delete.
  REQUIRE((HasOurJob(at) || HasOurClone(at)));
  if (workload_ != nullptr) CheckRemoval(action);
  if (HasOurJob(at)) RemoveCopies(at);
  if (HasOurClone(at)) at.clone = nullptr;
}

void World::Apply(const CreateJob& action) {
  INFO(Print());
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(at.contact == Contact::kFull);
  // Invariant 1: losers' clones are gone before the job is created.
  for (const ClusterView& other : workers_) {
    if (other.name == action.cluster || other.contact != Contact::kFull) continue;
    REQUIRE_FALSE(HasOurClone(other));
  }
  was_refused_ = !CreateCopies(at);
}

bool World::CreateCopies(ClusterView& at) {
  if (at.job != nullptr) return true;
  at.job = MakeJob(at, Marks());
  if (at.clone != nullptr) Edit(at);  // the worker's Kueue makes the job its owner
  return true;
}

void World::Apply(const MirrorStatus& action) {
  const ClusterView& at = worker(action.cluster.value);
  if (at.job == nullptr) return;
  REQUIRE(HasItsJob(at));
  Mirror(at);
}

void World::Mirror(const ClusterView& at) {
  if (!kind_.holds_check && job_->suspended && !at.job->suspended && !at.job->finished) return;
  job_->finished = at.job->finished;
  job_->shows_activity = at.job->shows_activity;
}

void World::Apply(const ClearActivity&) { ClearStatus(); }

void World::Apply(const FinishWorkload& action) {
  workload_->finished = tracking::Condition{true, action.reason, action.message, now_};
}

void World::Apply(const RecordReport& action) { record_.reported = action.reported; }

void World::Apply(const RecordRemoval& action) { std::erase(record_.nominated, action.cluster); }

void World::Apply(const RecordPlacing& action) {
  record_.placing = {action.cluster, now_};
  tried_.emplace(action.cluster, now_);
}

void World::Apply(const RecordEnd&) {
  if (!record_.placing) record_.placing.emplace();
  if (!record_.placing->end_seen) record_.placing->end_seen = now_;
}

void World::Apply(const RecordFailure& action) {
  INFO(Print());
  Failure failure = action.failure;
  // No worker is blamed for a job that was not tried there for long enough.
  if (failure.message.find("could not be created there in time") != std::string::npos) {
    REQUIRE(tried_.contains(failure.cluster));
    REQUIRE(now_ >= tried_[failure.cluster] + policy_.admission_timeout);
  }
  std::erase_if(record_.failures, [&](const Failure& earlier) {
    if (earlier.cluster != failure.cluster) return false;
    failure.times = earlier.times + 1;
    return true;
  });
  record_.failures.push_back(std::move(failure));
}

// The executor finds a worker that is back, and the decision is made again.
void World::Apply(const RecordResidue& action) {
  REQUIRE(worker(action.cluster.value).contact != Contact::kFull);
}
void World::Apply(const Forget&) {
  record_ = {};
  record_.kept_since = now_;
}
void World::Apply(const Note& action) { notes_.emplace_back(action.reason); }

void World::Apply(const SetClonePriority& action) {
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(at.contact != Contact::kNone);
  REQUIRE(HasOurClone(at));
  Edit(at)->priority = workload_->priority;
}

void World::Apply(const KeepRemote& action) {
  REQUIRE(workload_ != nullptr);
  REQUIRE(workload_->Finished());
  REQUIRE(now_ < workload_->finished->since + policy_.keep_failed);
  REQUIRE(worker(action.cluster.value).job->failed);
}

// The owner, then the queue; what comes between ends it in the middle.
void World::Apply(const AdoptClone& action) {
  INFO(Print());
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(kind_.adoption == tracking::Adoption::kOwner);
  REQUIRE(at.contact == Contact::kFull);
  REQUIRE(HasItsJob(at));
  REQUIRE(HasItsClone(at));
  REQUIRE(at.clone->Admitted());
  REQUIRE_FALSE(IsAdopted(at));
  // Of another copy, which is gone: Kueue would take the clone for that one's.
  REQUIRE((at.clone->owner.uid.empty() || at.clone->owner.uid == at.job->uid));
  Edit(at)->owner = {"kubeflow.org/v1", "JAXJob", "train", at.job->uid};
  if (fails_ && fails_(action)) {
    was_refused_ = true;
    return;
  }
  const auto job = EditJob(at);
  job->queued = true;
  job->suspended = false;
  job->shows_activity = true;
  ++adoptions_;
}

void World::Apply(const Requeue&) {
  INFO(Print());
  REQUIRE(kind_.stays_evicted);
  REQUIRE(workload_->active);
  REQUIRE_FALSE(workload_->QuotaReserved());
  workload_->is_left_unqueued = false;
  ++requeues_;
}

// Where the copies are fedra's their removal ends an attempt.
void World::Apply(const EndAttempt& action) { FAIL("not of this mode: " << action.cluster.value); }

}  // namespace fedra::placement::testing
