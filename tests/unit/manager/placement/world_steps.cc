// What a look at the world shows, and what becomes of the decision about it.

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "manager/placement/assumption.h"
#include "manager/placement/bids.h"
#include "manager/placement/context.h"
#include "manager/placement/move.h"
#include "manager/placement/restrict.h"
#include "manager/placement/stay.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {
namespace {

using tracking::CheckState;

constexpr int kStepsToSettle = 200;

bool SameDecision(const Decision& a, const Decision& b) {
  return a.actions.size() == b.actions.size() && a.why == b.why && a.phase == b.phase &&
         a.worker == b.worker;
}

}  // namespace

WorkloadView World::View() const {
  WorkloadView view;
  view.key = Key();
  if (workload_ != nullptr) {
    view.workload = std::make_shared<tracking::Workload>(*workload_);
    view.job = std::make_shared<tracking::Job>(*job_);
    view.check = kCheck;
    view.second_check = second_check_;
    view.holds_check = kind_.holds_check;
    view.adoption = kind_.adoption;
    view.kueue_clears = IsTakenOver();
  }
  return view;
}

Decision World::Look() const {
  const std::vector<ClusterView> seen = Seen();
  Decision decision = Decide(View(), seen, record_, policy_, now_);
  CheckStay(seen, decision);
  return decision;
}

// What is decided where it stays with its workers is the same without the others, but for those
// that have something of it.
void World::CheckStay(const std::vector<ClusterView>& seen, const Decision& decision) const {
  const WorkloadView view = View();
  const std::set<ClusterName> workers = StaysWith(view, record_, policy_, now_);
  if (workers.empty() || !LooksForWorker()) return;
  std::vector<ClusterView> few = seen;
  std::erase_if(few, [&](const ClusterView& at) {
    return !workers.contains(at.name) && !Contains(record_.nominated, at.name) &&
           at.clone == nullptr && at.job == nullptr && at.in_the_way == nullptr;
  });
  if (!MayStay(workers, view, few, record_, policy_, now_)) return;
  INFO("stays with " << workers.begin()->value << ": " << decision.why);
  REQUIRE(SameDecision(Decide(view, few, record_, policy_, now_), decision));
  ++stays_;
}

// As the reconciler gathers it: whose the copies are, and No where the name is taken; and what the
// lines and a move leave of it.
std::vector<ClusterView> World::Seen() const {
  std::vector<ClusterView> seen = workers_;
  for (ClusterView& at : seen) {
    Find(at);
    if ((at.clone != nullptr && !tracking::IsOurs(at.clone_is)) ||
        (at.job != nullptr && !tracking::IsOurs(at.job_is)) || at.in_the_way != nullptr)
      at.verdict = {.outcome = verdict::Outcome::kNo,
                    .reasons = {{verdict::ReasonCode::kNameConflict, "",
                                 verdict::Sentence{"the name is taken there"}}}};
  }
  Restrict(View(), seen, record_, AskLines(seen), policy_, now_);
  return seen;
}

void World::Find(ClusterView& at) const {
  const std::string uid = workload_ == nullptr ? "" : workload_->uid;
  const std::string workload = workload_ == nullptr ? "" : workload_->key.name;
  const auto whose = [&](const auto* copy) {
    return copy == nullptr ? tracking::Ownership::kForeign
                           : tracking::OwnershipOf(copy->marks, us_, uid, workload);
  };
  at.clone_is = whose(at.clone.get());
  at.job_is = whose(at.job.get());
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

// Of two that are sent at once either may arrive first, and the other one never.
std::vector<Action> World::InOrderOfArrival(std::vector<Action> actions) {
  for (size_t i = 0; i + 1 < actions.size(); ++i) {
    if (!GoTogether(actions[i], actions[i + 1])) continue;
    copy_arrives_first_ = !copy_arrives_first_;
    if (copy_arrives_first_) std::swap(actions[i], actions[i + 1]);
    break;
  }
  return actions;
}

void World::CarryOut(const Decision& decision, size_t limit) {
  dispatched_before_.clear();
  if (workload_ != nullptr) {
    nominated_before_ = workload_->nominated;
    for (const std::string& name : nominated_before_)
      if (IsDispatchedTo(View(), ClusterName(name))) dispatched_before_.emplace(name);
  }
  bool all_done = true;
  const std::vector<Action> actions = InOrderOfArrival(decision.actions);
  for (size_t i = 0; i < std::min(limit, actions.size()); ++i) {
    const Action& action = actions[i];
    if (!all_done && NeedsAllBefore(action)) break;
    if (fails_ && fails_(action)) {
      all_done = false;
      if (IsIndependent(action)) continue;
      break;
    }
    last_ = action;
    was_refused_ = false;
    Carry(action);
    CheckInvariants();
    if (was_refused_) break;
  }
}

void World::Settle() {
  Decision before = Step();
  RunManagerKueue();
  for (int step = 0; step < kStepsToSettle; ++step) {
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

}  // namespace fedra::placement::testing
