#include "tests/unit/manager/placement/kueue_copies.h"

#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::placement::testing {
namespace {

using tracking::CheckState;

constexpr const char* kMultiKueueCheck = "multikueue";

tracking::Condition Holds(std::string reason, WallTime at) {
  return {.is_true = true, .reason = std::move(reason), .message = "because", .since = at};
}

bool Names(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

KueueCopies::KueueCopies(const std::vector<std::string>& workers, Policy policy)
    : policy_(policy), order_(workers) {
  for (const std::string& name : workers) workers_[name];
  workload_.key = {"ml", "job-train-1a2b3"};
  workload_.uid = "uid-1";
  workload_.owner = {"batch/v1", "Job", "train", "job-uid"};
  workload_.checks = {{kMultiKueueCheck, CheckState::kPending, "", now_}};
  auto job = std::make_shared<tracking::Job>();
  job->key = {"ml", "train"};
  job->managed_by = tracking::kManagedBy;
  view_.key = workload_.key;
  view_.job = job;
  view_.check = kMultiKueueCheck;
  view_.kueue_copies = true;
  record_.kept_since = now_;
}

void KueueCopies::ReserveQuota() {
  if (workload_.Finished() || workload_.Evicted() || workload_.QuotaReserved()) return;
  workload_.quota_reserved = Holds("QuotaReserved", now_);
}

bool KueueCopies::Admit(const std::string& name) {
  tracking::Workload* clone = worker(name).clone.get();
  if (clone == nullptr || clone->Finished() || clone->Admitted() || !clone->active) return false;
  clone->quota_reserved = Holds("QuotaReserved", now_);
  clone->admitted = Holds("Admitted", now_);
  clone->evicted.reset();
  return true;
}

void KueueCopies::EvictOn(const std::string& name) {
  tracking::Workload* clone = worker(name).clone.get();
  if (clone == nullptr || !clone->Admitted() || clone->Finished()) return;
  clone->admitted->is_true = false;
  clone->evicted = Holds("Preempted", now_);
}

bool KueueCopies::FinishOn(const std::string& name, const std::string& reason) {
  tracking::Workload* clone = worker(name).clone.get();
  if (clone == nullptr || !clone->Admitted() || clone->Finished()) return false;
  clone->finished = Holds(reason, now_);
  return true;
}

void KueueCopies::SwitchOffOn(const std::string& name) {
  if (worker(name).clone == nullptr) return;
  worker(name).clone->active = false;
  EvictOn(name);
}

void KueueCopies::SetContact(const std::string& name, bool in_contact) {
  WorkerModel& at = worker(name);
  if (at.in_contact && !in_contact) at.lost_since = now_;
  at.in_contact = in_contact;
}

void KueueCopies::DeleteClone(WorkerModel& worker) const {
  if (worker.kueue_connected) worker.clone = nullptr;
}

// Whether a remote end or eviction decided; the first steps of reconcileGroup().
bool KueueCopies::ReflectRemotes() {
  for (const std::string& name : order_) {
    WorkerModel& at = worker(name);
    if (!at.kueue_connected || !at.allowed || at.clone == nullptr) continue;
    if (at.clone->Finished()) {
      const bool lost = at.clone->finished->reason == tracking::kOutOfSync;
      if (!lost) workload_.finished = at.clone->finished;
      if (lost && check().state == CheckState::kReady)
        check() = {kMultiKueueCheck, CheckState::kRetry, "out of sync", now_};
      return true;
    }
    if (at.clone->Evicted() && check().state == CheckState::kReady) {
      check() = {kMultiKueueCheck, CheckState::kRetry, "evicted on " + name, now_};
      return true;
    }
  }
  return false;
}

void KueueCopies::RunMultiKueue() {
  if (workload_.Finished() || !workload_.QuotaReserved()) {
    for (auto& [name, at] : workers_) DeleteClone(at);
    return;
  }
  if (check().state == CheckState::kRejected || ReflectRemotes()) return;
  std::string winner;
  for (const std::string& name : order_) {
    WorkerModel& at = worker(name);
    // The real one does not ask that: two workers that come back with copies of theirs can stop it.
    if (!workload_.cluster_name.empty() && workload_.cluster_name != name) continue;
    if (!at.kueue_connected || !at.allowed || at.clone == nullptr || !at.clone->Admitted())
      continue;
    if (winner.empty() || at.clone->admitted->since < worker(winner).clone->admitted->since)
      winner = name;
  }
  if (winner.empty() && check().state == CheckState::kReady) {
    if (!worker(workload_.cluster_name).kueue_connected) return;
    check() = {kMultiKueueCheck, CheckState::kRetry, "Admitting remote no longer exists", now_};
    return;
  }
  if (!winner.empty()) {
    for (auto& [name, at] : workers_)
      if (name != winner && at.allowed) DeleteClone(at);
    if (workload_.Evicted()) return;
    if (workload_.cluster_name.empty() && !Names(workload_.nominated, winner)) {
      ++denied_;  // and tries again
      return;
    }
    workload_.cluster_name = winner;
    workload_.nominated.clear();
    if (check().state != CheckState::kReady)
      check() = {kMultiKueueCheck, CheckState::kReady, "The workload was admitted on " + winner,
                 now_};
    return;
  }
  if (check().state != CheckState::kPending || !workload_.cluster_name.empty()) return;
  for (auto& [name, at] : workers_) {
    if (!at.kueue_connected || !at.allowed) continue;
    if (!Names(workload_.nominated, name)) {
      DeleteClone(at);
    } else if (at.clone == nullptr) {
      at.clone = std::make_shared<tracking::Workload>();
      at.clone->key = workload_.key;
      at.clone->uid = "clone-" + name;
      at.clone->marks.origin = "multikueue";
    }
  }
}

void KueueCopies::RunKueue() {
  if (workload_.Finished()) return;
  if (check().state == CheckState::kRetry && !workload_.Evicted()) {
    workload_.evicted = Holds("AdmissionCheck", now_);
    workload_.cluster_name.clear();
    workload_.nominated.clear();
    check() = {kMultiKueueCheck, CheckState::kPending, "Reset to Pending after eviction", now_};
    return;
  }
  if (!workload_.Evicted()) return;
  workload_.evicted->is_true = false;
  workload_.quota_reserved.reset();
}

void KueueCopies::LoseStore() {
  record_ = {};
  record_.kept_since = now_;
}

void KueueCopies::Restart() {
  if (record_.reported) record_.reported->rendering = 0;
  record_.kept_since = now_;
}

std::vector<ClusterView> KueueCopies::Seen() const {
  const tracking::Identity kueue{"multikueue", "m1", tracking::Mode::kDispatcher};
  std::vector<ClusterView> seen;
  for (const std::string& name : order_) {
    const WorkerModel& at = workers_.at(name);
    ClusterView view;
    view.name = ClusterName(name);
    view.contact = at.in_contact ? Contact::kFull : Contact::kNone;
    if (!at.in_contact) view.lost_since = at.lost_since;
    view.allowed = at.allowed;
    view.kueue_connected = at.kueue_connected;
    if (!at.allowed || !at.kueue_connected) {
      view.verdict.outcome = verdict::Outcome::kNo;
    } else {
      view.verdict.outcome = at.in_contact ? at.outcome : verdict::Outcome::kUnknown;
    }
    if (view.verdict.outcome != verdict::Outcome::kYes)
      view.verdict.reasons = {
          {verdict::ReasonCode::kTemplateMissing, "", verdict::Sentence{"it lacks something"}}};
    if (at.in_contact) {
      if (at.clone != nullptr) view.clone = std::make_shared<tracking::Workload>(*at.clone);
    } else {
      view.clone = at.seen;
    }
    if (view.clone != nullptr)
      view.clone_is = tracking::OwnershipOf(view.clone->marks, kueue, workload_.uid);
    seen.push_back(std::move(view));
  }
  return seen;
}

Decision KueueCopies::Look() const {
  WorkloadView view = view_;
  view.workload = std::make_shared<tracking::Workload>(workload_);
  return Decide(view, Seen(), record_, policy_, now_);
}

Decision KueueCopies::Step(size_t limit) {
  for (auto& [name, at] : workers_) {
    if (!at.in_contact) continue;
    at.seen = at.clone == nullptr ? nullptr : std::make_shared<tracking::Workload>(*at.clone);
  }
  const Decision decision = Look();
  for (size_t i = 0; i < std::min(limit, decision.actions.size()); ++i) Carry(decision.actions[i]);
  return decision;
}

Decision KueueCopies::Settle() {
  constexpr int kManySteps = 100;
  for (int i = 0; i < kManySteps; ++i) {
    const int writes = writes_;
    const Decision decision = Step();
    RunMultiKueue();
    RunKueue();
    if (decision.actions.empty() && writes == writes_ && Look().why == decision.why)
      return decision;
  }
  FAIL("does not settle");
  return {};
}

std::vector<std::string> KueueCopies::WorkersWithClone() const {
  std::vector<std::string> names;
  for (const std::string& name : order_)
    if (workers_.at(name).clone != nullptr) names.push_back(name);
  return names;
}

void KueueCopies::CarryNominate(const Nominate& action) {
  REQUIRE(workload_.cluster_name.empty());
  REQUIRE(workload_.QuotaReserved());
  REQUIRE_FALSE(workload_.Evicted());
  REQUIRE_FALSE(workload_.Finished());
  REQUIRE(check().state == CheckState::kPending);
  REQUIRE(action.clusters.size() <= 20);
  REQUIRE(std::set(action.clusters.begin(), action.clusters.end()).size() ==
          action.clusters.size());
  std::vector<std::string> names;
  for (const ClusterName& cluster : action.clusters) {
    const WorkerModel& at = worker(cluster.value);
    // Kueue's reconcile fails for ever on one that it does not know or is not connected to.
    REQUIRE(at.allowed);
    REQUIRE(at.kueue_connected);
    const bool is_new = !Names(workload_.nominated, cluster.value);
    const bool is_admitted = at.clone != nullptr && at.clone->Admitted();
    if (is_new && !is_admitted) {
      REQUIRE(at.in_contact);
      REQUIRE(at.outcome != verdict::Outcome::kNo);
    }
    names.push_back(cluster.value);
  }
  workload_.nominated = std::move(names);
  ++writes_;
  record_.nominated = action.clusters;
  record_.reported = action.reported;
  if (!action.new_round) return;
  now_ += std::chrono::milliseconds(1);
  ++record_.attempt;
  record_.nominated_at = now_;
}

void KueueCopies::Carry(const Action& action) {
  if (const auto* nominate = std::get_if<Nominate>(&action)) {
    CarryNominate(*nominate);
  } else if (const auto* failure = std::get_if<RecordFailure>(&action)) {
    std::erase_if(record_.failures, [&](const Failure& earlier) {
      return earlier.cluster == failure->failure.cluster;
    });
    record_.failures.push_back(failure->failure);
  } else if (const auto* report = std::get_if<RecordReport>(&action)) {
    record_.reported = report->reported;
  } else if (const auto* removal = std::get_if<RecordRemoval>(&action)) {
    std::erase(record_.nominated, removal->cluster);
  } else if (const auto* note = std::get_if<Note>(&action)) {
    notes_.emplace_back(note->reason);
  } else if (std::holds_alternative<Forget>(action)) {
    record_ = {};
    record_.kept_since = now_;
  } else {
    // No copies, no jobs, no check.
    REQUIRE(std::holds_alternative<EndAttempt>(action));
  }
}

std::string KueueCopies::Print() const {
  std::string text = fmt::format(
      "{}: check {} clusterName \"{}\" nominated [{}] quota {} evicted {}", Look().why,
      ToString(workload_.checks.front().state), workload_.cluster_name,
      fmt::join(workload_.nominated, ","), workload_.QuotaReserved(), workload_.Evicted());
  for (const auto& [name, at] : workers_) {
    const tracking::Workload* clone = at.clone.get();
    text += fmt::format("\n  {}: {}", name,
                        clone == nullptr    ? "no copy"
                        : clone->Finished() ? "finished"
                        : !clone->active    ? "switched off"
                        : clone->Admitted() ? "admitted"
                        : clone->Evicted()  ? "evicted"
                                            : "waiting");
  }
  return text;
}

}  // namespace fedra::placement::testing
