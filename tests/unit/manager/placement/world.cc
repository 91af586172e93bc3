#include "tests/unit/manager/placement/world.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "manager/placement/assumption.h"
#include "manager/placement/bids.h"
#include "manager/placement/move.h"
#include "manager/placement/restrict.h"
#include "manager/placement/setback.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::placement::testing {
namespace {

using tracking::CheckState;
using tracking::Condition;

constexpr int kManySteps = 200;

Condition True(std::string reason, std::string message, WallTime at) {
  return {true, std::move(reason), std::move(message), at};
}

const tracking::Identity kUs{"fedra", kManager};
constexpr const char* kAnotherManager = "m2";

bool SameDecision(const Decision& a, const Decision& b) {
  return a.actions.size() == b.actions.size() && a.why == b.why;
}

}  // namespace

World::World(const std::vector<std::string>& workers, Policy policy, bool holds_check)
    : policy_(policy), holds_check_(holds_check) {
  workload_ = std::make_unique<tracking::Workload>();
  workload_->key = {"ml", "job-train-1a2b3"};
  workload_->uid = kUid;
  workload_->owner = {"batch/v1", "Job", "train", "job-uid"};
  workload_->checks = {{kCheck, CheckState::kPending, "", now_}};
  record_.kept_since = now_;
  workload_->requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(1);
  workload_->priority = {"kueue.x-k8s.io", "WorkloadPriorityClass", "batch", 0};
  job_ = std::make_unique<tracking::Job>();
  job_->key = {"ml", "train"};
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
      workload_->QuotaReserved())
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
  if (at.clone == nullptr || !at.clone->Admitted() || !HasOurJob(at) || at.job->finished)
    return false;
  const auto job = EditJob(at);
  job->finished = true;
  job->shows_activity = false;
  Edit(at)->finished = True("Succeeded", "Job finished successfully", now_);
  return true;
}

void World::DeleteJobOn(const std::string& name) {
  ClusterView& at = worker(name);
  if (!HasOurJob(at)) return;
  at.job = nullptr;
  if (at.clone != nullptr && !at.clone->Finished())
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

void World::PutForeignJob(const std::string& name) {
  auto job = std::make_shared<tracking::Job>();
  job->key = {"ml", "train"};
  job->uid = "foreign";
  worker(name).job = job;
}

void World::PutCopyOfAnotherManager(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.clone != nullptr) return;
  auto clone = std::make_shared<tracking::Workload>();
  clone->key = {"ml", "job-train-1a2b3"};
  clone->uid = "theirs";
  clone->marks = {kUs.origin, kAnotherManager, "uid-there"};
  at.clone = clone;
}

bool World::HasCopyOfAnotherManager(const std::string& name) {
  const ClusterView& at = worker(name);
  return at.clone != nullptr && at.clone->marks.made_by == kAnotherManager;
}

void World::RemoveCopyOfAnotherManager(const std::string& name) {
  if (HasCopyOfAnotherManager(name)) worker(name).clone = nullptr;
}

void World::EvictOnManager(const std::string& previous) {
  if (workload_ == nullptr || workload_->Finished() || !workload_->QuotaReserved()) return;
  workload_->evicted = True("AdmissionCheck", "evicted", now_);
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
    job_->suspended = true;
  }
  if (workload_->QuotaReserved() && !workload_->Evicted() && State() == CheckState::kReady &&
      !workload_->Admitted()) {
    workload_->admitted = True("Admitted", "", now_);
    job_->suspended = false;
  }
}

WorkloadView World::View() const {
  WorkloadView view;
  view.key = {"ml", "job-train-1a2b3"};
  if (workload_ != nullptr) {
    view.workload = std::make_shared<tracking::Workload>(*workload_);
    view.job = std::make_shared<tracking::Job>(*job_);
    view.check = kCheck;
    view.second_check = second_check_;
    view.holds_check = holds_check_;
  }
  return view;
}

Decision World::Look() const { return Decide(View(), Seen(), record_, policy_, now_); }

// As the reconciler gathers it: whose the copies are, and No where the name is taken; and what the
// lines and a move leave of it.
std::vector<ClusterView> World::Seen() const {
  const std::string uid = workload_ == nullptr ? "" : workload_->uid;
  std::vector<ClusterView> seen = workers_;
  for (ClusterView& at : seen) {
    const auto whose = [&](const auto* copy) {
      return copy == nullptr ? tracking::Ownership::kForeign
                             : tracking::OwnershipOf(copy->marks, kUs, uid);
    };
    at.clone_is = whose(at.clone.get());
    at.job_is = whose(at.job.get());
    if ((at.clone != nullptr && !tracking::IsOurs(at.clone_is)) ||
        (at.job != nullptr && !tracking::IsOurs(at.job_is)))
      at.verdict = {.outcome = verdict::Outcome::kNo,
                    .reasons = {{verdict::ReasonCode::kNameConflict, "",
                                 verdict::Sentence{"the name is taken there"}}}};
  }
  Restrict(View(), seen, record_, AskLines(seen), policy_, now_);
  return seen;
}

bool World::LooksForWorker() const {
  return workload_ != nullptr && !workload_->Finished() && workload_->QuotaReserved() &&
         !workload_->Evicted() && workload_->cluster_name.empty() &&
         State() == CheckState::kPending;
}

// As the reconciler does; one that is to be moved asks as Kueue will show it then.
std::map<ClusterName, LineAnswer> World::AskLines(const std::vector<ClusterView>& seen) const {
  WorkloadView view = View();
  if (lines_.empty()) return {};
  if (!LooksForWorker()) {
    if (DueMove(view, now_) == nullptr) return {};
    view = AsRequeued(view, now_);
  }
  const Bids bids = BidsOf(view, seen, record_, policy_, {}, now_);
  std::map<ClusterName, LineAnswer> answers = lines_;
  std::erase_if(answers, [&](const auto& each) {
    const auto bid = bids.find(each.first);
    return bid == bids.end() || bid->second.chance != Bid::Chance::kFits;
  });
  return answers;
}

// As the executor carries out a decision.
Decision World::Step(size_t limit) {
  const Decision decision = Look();
  CarryOut(decision, limit);
  return decision;
}

void World::CarryOut(const Decision& decision, size_t limit) {
  dispatched_before_.clear();
  if (workload_ != nullptr) {
    nominated_before_ = workload_->nominated;
    for (const std::string& name : nominated_before_)
      if (IsDispatchedTo(View(), ClusterName(name))) dispatched_before_.emplace(name);
  }
  bool all_done = true;
  for (size_t i = 0; i < std::min(limit, decision.actions.size()); ++i) {
    const Action& action = decision.actions[i];
    if (!all_done && NeedsAllBefore(action)) break;
    if (fails_ && fails_(action)) {
      all_done = false;
      if (IsIndependent(action)) continue;
      break;
    }
    last_ = action;
    Carry(action);
    CheckInvariants();
  }
}

void World::Settle() {
  Decision before = Step();
  RunManagerKueue();
  for (int step = 0; step < kManySteps; ++step) {
    const Decision decision = Step();
    RunManagerKueue();
    const bool quiet =
        std::all_of(decision.actions.begin(), decision.actions.end(), [](const Action& action) {
          return std::holds_alternative<MirrorStatus>(action) ||
                 std::holds_alternative<RecordResidue>(action) ||
                 std::holds_alternative<Forget>(action);
        });
    if (quiet && SameDecision(before, decision)) return;
    before = decision;
  }
  FAIL("does not settle: " << Print());
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

void World::Restart() {
  record_.placing.reset();
  if (record_.reported) record_.reported->rendering = 0;
  record_.kept_since = now_;
}

void World::LoseStore() {
  record_ = {};
  record_.kept_since = now_;
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
  workload_->cluster_name = action.cluster.value;
  workload_->nominated.clear();
  REQUIRE(action.holds_check == holds_check_);
  WriteCheck(holds_check_ ? CheckState::kPending : CheckState::kReady, action.message,
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
  auto clone = std::make_shared<tracking::Workload>();
  clone->key = {"ml", "job-train-1a2b3"};
  clone->uid = "clone-" + action.cluster.value;
  clone->created = std::chrono::floor<std::chrono::seconds>(now_);  // as API servers have it
  clone->marks = {kUs.origin, kUs.manager, workload_->uid};
  clone->priority = workload_->priority;
  at.clone = clone;
}

void World::Apply(const DeleteRemote& action) {
  INFO(Print());
  ClusterView& at = worker(action.cluster.value);
  REQUIRE(at.contact != Contact::kNone);
  // Invariant 2: there is something of ours to delete.
  REQUIRE((HasOurJob(at) || HasOurClone(at)));
  // Invariant 5: the final status reaches the manager before the remote job is removed; unless the
  // job had been taken back from there.
  if (HasOurJob(at) && at.job->finished && workload_ != nullptr) {
    const auto& known = nominated_before_;
    const bool counts = workload_->cluster_name.empty()
                            ? std::find(known.begin(), known.end(), at.name.value) != known.end()
                            : workload_->cluster_name == at.name.value;
    if (counts) REQUIRE(job_->finished);
  }
  if (HasOurJob(at)) at.job = nullptr;
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
  if (at.job != nullptr) return;
  auto job = std::make_shared<tracking::Job>();
  job->key = {"ml", "train"};
  job->uid = "remote-" + action.cluster.value;
  job->marks = {kUs.origin, kUs.manager, workload_->uid};
  job->prebuilt_workload = workload_->key.name;
  job->shows_activity = true;
  at.job = job;
}

void World::Apply(const MirrorStatus& action) {
  const ClusterView& at = worker(action.cluster.value);
  if (at.job == nullptr) return;
  if (!holds_check_ && job_->suspended && !at.job->suspended && !at.job->finished) return;
  job_->finished = at.job->finished;
  job_->shows_activity = at.job->shows_activity;
}

void World::Apply(const ClearActivity&) { job_->shows_activity = false; }

void World::Apply(const FinishWorkload& action) {
  workload_->finished = True(action.reason, action.message, now_);
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
  // Nobody is blamed for a job that was not tried there for long enough.
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

// Where the copies are fedra's their removal ends an attempt.
void World::Apply(const EndAttempt& action) { FAIL("not of this mode: " << action.cluster.value); }

}  // namespace fedra::placement::testing
