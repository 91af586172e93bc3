// What a replica does to the world that leads no more: its last requests arrive when another one
// has decided since. Nothing of its own store counts any more.

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {
namespace {

using tracking::CheckState;

std::string Printed(const std::optional<tracking::Condition>& condition) {
  if (!condition) return "-";
  return fmt::format("{} {} {}", condition->is_true, condition->reason,
                     condition->since.time_since_epoch().count());
}

template <class T>
constexpr bool kIsManagerWrite = std::is_same_v<T, SetCheck> || std::is_same_v<T, Nominate> ||
                                 std::is_same_v<T, Admit> || std::is_same_v<T, ClearPlacement> ||
                                 std::is_same_v<T, FinishWorkload> || std::is_same_v<T, Requeue>;

}  // namespace

std::string World::WorkloadVersion() const {
  if (workload_ == nullptr) return "gone";
  const tracking::Workload& w = *workload_;
  return fmt::format("{} {} {} [{}] [{}] quota {} admitted {} evicted {} finished {} {} {}",
                     ToString(Check().state), Check().message,
                     Check().since.time_since_epoch().count(), w.cluster_name,
                     fmt::join(w.nominated, ","), Printed(w.quota_reserved), Printed(w.admitted),
                     Printed(w.evicted), Printed(w.finished), w.active, w.priority.value);
}

std::string World::JobVersion() const {
  if (job_ == nullptr) return "gone";
  return fmt::format("{} {} {}", job_->finished, job_->suspended, job_->shows_activity);
}

// With a clone that has quota: a job without one is kept suspended there.
int World::RunningSomewhere() const {
  return static_cast<int>(std::ranges::count_if(workers_, [&](const ClusterView& at) {
    return at.contact == Contact::kFull && HasItsJob(at) && !at.job->finished && HasItsClone(at) &&
           at.clone->Admitted() && !at.clone->Evicted() && !at.clone->Finished();
  }));
}

World::Late World::Interrupt(size_t limit) {
  Late late{.actions = {},
            .workers = Seen(),
            .workload = {},
            .job = {},
            .is_over = workload_ == nullptr || workload_->deleting || workload_->Finished()};
  const Decision decision = Look();
  CarryOut(decision, limit);
  for (size_t i = limit; i < decision.actions.size(); ++i)
    late.actions.push_back(decision.actions[i]);
  // Its own writes are known to it.
  late.workload = WorkloadVersion();
  late.job = JobVersion();
  return late;
}

void World::CarryOut(Late late, bool fenced) {
  const std::vector<Action> actions = std::move(late.actions);
  for (size_t i = 0; i < actions.size(); ++i) {
    if (!late.all_done && NeedsAllBefore(actions[i])) break;
    if (CarryLate(actions[i], late, fenced)) continue;
    late.all_done = false;
    if (IsIndependent(actions[i])) continue;
    // The other one was sent, too.
    if (i + 1 < actions.size() && GoTogether(actions[i], actions[i + 1]))
      (void)CarryLate(actions[i + 1], late, fenced);
    break;
  }
}

bool World::CarryLate(const Action& action, Late& late, bool fenced) {
  // The leader's job that runs well, if there is one.
  const std::string placed_on =
      workload_ != nullptr && !workload_->Finished() && !workload_->cluster_name.empty() &&
              State() == (kind_.holds_check ? CheckState::kPending : CheckState::kReady) &&
              RunsWell() && HasItsJob(worker(workload_->cluster_name))
          ? workload_->cluster_name
          : std::string();
  const int running = RunningSomewhere();
  const bool done = std::visit(
      [&](const auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (kIsManagerWrite<T>) {
          if (workload_ == nullptr || (fenced && late.workload != WorkloadVersion())) return false;
          const bool written = WriteLate(one, late);
          late.workload = WorkloadVersion();
          return written;
        } else if constexpr (std::is_same_v<T, MirrorStatus> || std::is_same_v<T, ClearActivity>) {
          if (job_ == nullptr || (fenced && late.job != JobVersion())) return false;
          const bool written = WriteLate(one, late);
          late.job = JobVersion();
          return written;
        } else if constexpr (std::is_same_v<T, CreateClone>) {
          ClusterView& at = worker(one.cluster.value);
          if (at.contact == Contact::kNone) return false;
          if (at.clone == nullptr) at.clone = MakeClone(at, Marks());
          return HasOurClone(at);
        } else if constexpr (std::is_same_v<T, CreateJob>) {
          ClusterView& at = worker(one.cluster.value);
          return at.contact != Contact::kNone && CreateCopies(at);
        } else if constexpr (std::is_same_v<T, SetClonePriority>) {
          ClusterView& at = worker(one.cluster.value);
          const auto seen = std::ranges::find(late.workers, one.cluster, &ClusterView::name);
          if (at.contact == Contact::kNone || at.clone == nullptr || workload_ == nullptr ||
              (fenced && at.clone != seen->clone))
            return false;
          Edit(at)->priority = workload_->priority;
          return true;
        } else if constexpr (std::is_same_v<T, DeleteRemote>) {
          return RemoveLate(one.cluster, late, fenced);
        } else {
          return true;  // of its own store
        }
      },
      static_cast<const Action::Variant&>(action));
  if (RunningSomewhere() > std::max(running, 1)) harm_.emplace_back("it runs twice");
  if (placed_on.empty() || workload_ == nullptr) return done;
  const ClusterView& at = worker(placed_on);
  if (!HasItsJob(at) || !HasItsClone(at)) harm_.emplace_back("a running job was removed");
  if (workload_->cluster_name != placed_on || workload_->Finished())
    harm_.emplace_back("its place was overwritten");
  return done;
}

bool World::WriteLate(const Action& action, const Late& late) {
  if (const auto* check = std::get_if<SetCheck>(&action)) {
    WriteCheck(check->state, check->message);
  } else if (const auto* nominate = std::get_if<Nominate>(&action)) {
    if (!workload_->cluster_name.empty() || workload_->Evicted()) return false;  // the CRD's rules
    workload_->nominated.clear();
    for (const ClusterName& name : nominate->clusters) workload_->nominated.push_back(name.value);
    WriteCheck(CheckState::kPending, nominate->message);
  } else if (const auto* admit = std::get_if<placement::Admit>(&action)) {
    const auto& nominated = workload_->nominated;
    if (std::ranges::find(nominated, admit->cluster.value) == nominated.end()) return false;
    workload_->cluster_name = placed_on_ = admit->cluster.value;
    workload_->nominated.clear();
    WriteCheck(kind_.holds_check ? CheckState::kPending : CheckState::kReady, admit->message, true);
  } else if (const auto* clear = std::get_if<ClearPlacement>(&action)) {
    workload_->cluster_name.clear();
    workload_->nominated.clear();
    WriteCheck(CheckState::kPending, clear->message);
  } else if (const auto* finish = std::get_if<FinishWorkload>(&action)) {
    workload_->finished = tracking::Condition{true, finish->reason, finish->message, now_};
  } else if (std::holds_alternative<Requeue>(action)) {
    workload_->is_left_unqueued = false;
  } else if (std::holds_alternative<ClearActivity>(action)) {
    ClearStatus();
  } else if (const auto* mirror = std::get_if<MirrorStatus>(&action)) {
    const auto seen = std::ranges::find(late.workers, mirror->cluster, &ClusterView::name);
    if (seen->job != nullptr) Mirror(*seen);
  }
  return true;
}

// The job first; what has changed since it was seen keeps all that comes behind it.
bool World::RemoveLate(const ClusterName& cluster, const Late& late, bool fenced) {
  ClusterView& at = worker(cluster.value);
  const ClusterView& seen = *std::ranges::find(late.workers, cluster, &ClusterView::name);
  if (at.contact == Contact::kNone) return false;
  const bool as_seen = fenced && !late.is_over;
  if (seen.job != nullptr && HasOurJob(seen) && at.job != nullptr && HasOurJob(at)) {
    if (as_seen && at.job != seen.job) return false;
    if (HasItsJob(at) && at.job->finished && job_ != nullptr && !job_->finished &&
        workload_->cluster_name == cluster.value)
      harm_.emplace_back("an end was lost");
    RemoveCopies(at);
  }
  if (seen.clone != nullptr && HasOurClone(seen) && at.clone != nullptr && HasOurClone(at)) {
    if (as_seen && at.clone != seen.clone) return false;
    at.clone = nullptr;
  }
  return true;
}

}  // namespace fedra::placement::testing
