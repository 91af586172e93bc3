// What must hold of every action that the world is told to carry out (world.h), in the world's own
// words: nothing that decides is asked here.

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/move.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {
namespace {

// By Kueue's MultiKueue, of the same manager.
bool IsUnmarked(const tracking::CopyMarks& marks) {
  return marks.origin == kKueueOrigin && marks.made_by.empty();
}

bool IsOfManager(const tracking::CopyMarks& marks) {
  return marks.made_by == kManager || IsUnmarked(marks);
}

}  // namespace

bool World::HasOurJob(const ClusterView& worker) {
  return worker.job != nullptr && IsOfManager(worker.job->marks);
}

bool World::HasOurClone(const ClusterView& worker) {
  return worker.clone != nullptr && IsOfManager(worker.clone->marks);
}

bool World::HasItsJob(const ClusterView& worker) const {
  if (!HasOurJob(worker)) return false;
  const tracking::CopyMarks& marks = worker.job->marks;
  return marks.source_uid == kind_.uid || (IsUnmarked(marks) && marks.workload == kind_.workload);
}

bool World::HasItsClone(const ClusterView& worker) const {
  if (!HasOurClone(worker)) return false;
  const tracking::CopyMarks& marks = worker.clone->marks;
  return marks.source_uid == kind_.uid || IsUnmarked(marks);
}

const LineAnswer& World::LineOf(const ClusterView& worker) const {
  static const LineAnswer free;
  const auto found = lines_.find(worker.name);
  return found == lines_.end() ? free : found->second;
}

// The lines aside.
bool World::CouldTake(const ClusterView& worker) const {
  const bool is_taken = (worker.clone != nullptr && !HasOurClone(worker)) ||
                        (worker.job != nullptr && !HasOurJob(worker)) ||
                        worker.in_the_way != nullptr;
  return worker.contact == Contact::kFull && !is_taken &&
         worker.verdict.outcome == verdict::Outcome::kYes;
}

const tracking::MoveRequest* World::StandingMove() const {
  const tracking::MoveRequest* move = workload_ == nullptr ? nullptr : workload_->Move();
  const bool stands = move != nullptr && move->at <= now_ && now_ < move->at + kMoveMemory;
  return stands ? move : nullptr;
}

bool World::IsCrossing() const {
  return StandingMove() != nullptr && std::ranges::any_of(workers_, [&](const ClusterView& each) {
           return LineOf(each).after.has_value();
         });
}

void World::CheckDispatch(const std::vector<ClusterName>& clusters) const {
  INFO(Print());
  for (const ClusterName& name : clusters) {
    const auto to =
        std::ranges::find_if(workers_, [&](const ClusterView& each) { return each.name == name; });
    REQUIRE(to != workers_.end());
    INFO("dispatched to " << name.value);
    // Where it was dispatched before, it has had its turn; and a nomination is kept through a short
    // gap in what is known of the worker (MayKeep), in which no line is asked.
    const bool is_kept =
        std::ranges::find(nominated_before_, name.value) != nominated_before_.end() &&
        !CouldTake(*to);
    if (!dispatched_before_.contains(name) && !is_kept) REQUIRE_FALSE(LineOf(*to).after);
    CheckMoveLets(name);
  }
}

void World::CheckMoveLets(const ClusterName& cluster) const {
  const tracking::MoveRequest* move = StandingMove();
  if (move == nullptr) return;
  const auto leaves = [&](const ClusterName& name) {
    return move->to.empty() ? name.value == move->from : name.value != move->to;
  };
  if (!leaves(cluster)) return;
  for (const ClusterView& other : workers_) {
    const bool has_failed = std::ranges::any_of(
        record_.failures, [&](const Failure& failure) { return failure.cluster == other.name; });
    // One that only waits until those ahead are dispatched is waited for.
    const LineAnswer& line = LineOf(other);
    const bool holds = line.after && line.after_waiting;
    INFO("moved from " << move->from << " to \"" << move->to << "\", and it may go to "
                       << other.name.value << ", not to " << cluster.value << "\n"
                       << Print());
    REQUIRE_FALSE((!leaves(other.name) && CouldTake(other) && !holds && !has_failed));
  }
}

bool World::RunsWell() const {
  const auto found = std::ranges::find_if(workers_, [&](const ClusterView& each) {
    return each.name.value == workload_->cluster_name;
  });
  const bool is_kueues_turn = State() == tracking::CheckState::kRetry ||
                              State() == tracking::CheckState::kRejected || workload_->Evicted() ||
                              !workload_->QuotaReserved();
  if (found == workers_.end() || is_kueues_turn) return false;
  const bool stays = found->contact == Contact::kFull &&
                     found->membership == Membership::kConfigured && !found->drained_for;
  const bool is_kept = HasItsClone(*found) && !found->clone->deleting &&
                       !found->clone->Finished() && found->clone->Admitted() &&
                       !found->clone->Evicted();
  const bool is_in_the_way =
      found->in_the_way != nullptr || (found->job != nullptr && !HasItsJob(*found));
  const bool has_failed = std::ranges::any_of(
      record_.failures, [&](const Failure& failure) { return failure.cluster == found->name; });
  return stays && is_kept && !is_in_the_way && !has_failed;
}

void World::CheckMoveHasTarget() const {
  INFO(Print());
  const tracking::MoveRequest* move = StandingMove();
  REQUIRE(move != nullptr);
  REQUIRE(std::ranges::any_of(workers_, [&](const ClusterView& each) {
    const std::string& name = each.name.value;
    return name != workload_->cluster_name && (move->to.empty() || name == move->to) &&
           CouldTake(each) && !LineOf(each).after;
  }));
}

void World::CheckRemoval(const DeleteRemote& action) const {
  const std::string& name = action.cluster.value;
  const ClusterView& at = *std::ranges::find(workers_, action.cluster, &ClusterView::name);
  const bool was_nominated = std::ranges::find(nominated_before_, name) != nominated_before_.end();
  // Where Kueue clears the name, the copy there shows it for as long as the quota is held.
  const bool was_placed = IsTakenOver() && placed_on_ == name && workload_->Evicted() &&
                          workload_->QuotaReserved() && HasItsClone(at) && at.clone->Admitted();
  // Invariant 5: the final status reaches the manager before the remote job is removed; unless the
  // job had been taken back from there.
  const bool counts = workload_->cluster_name.empty() ? was_nominated || was_placed
                                                      : workload_->cluster_name == name;
  if (counts && HasItsJob(at)) CheckEndsAreKnown(at);
  if (workload_->Finished()) return;
  if (State() == tracking::CheckState::kReady && workload_->cluster_name == name)
    REQUIRE_FALSE(RunsWell());
  // Where Kueue clears them, all nominations are of this reservation, whichever program made them.
  if (IsTakenOver() && was_nominated && workload_->QuotaReserved() && !workload_->Evicted())
    REQUIRE(action.end != AttemptEnd::kEvicted);
}

void World::CheckEndsAreKnown(const ClusterView& at) const {
  if (at.job->finished) REQUIRE(job_->finished);
}

void World::CheckInvariants() const {
  INFO(Print());
  int connected_jobs = 0;
  for (const ClusterView& worker : workers_) {
    if (worker.contact == Contact::kFull && HasItsJob(worker) && !worker.job->finished)
      ++connected_jobs;
  }
  // A job of an earlier admission on a worker that has just come back is being removed and no
  // second placement.
  const bool placing = last_ && (std::holds_alternative<CreateJob>(*last_) ||
                                 std::holds_alternative<placement::Admit>(*last_));
  if (placing) CHECK(connected_jobs <= 1);
}

std::string World::Print() const {
  std::string text = "workload gone";
  if (workload_ != nullptr) {
    const std::string check = workload_->checks.empty()
                                  ? std::string("none")
                                  : fmt::format("{} \"{}\"", ToString(State()), Message());
    text = fmt::format("check {} clusterName \"{}\" nominated [{}] quota {} evicted {} finished {}",
                       check, workload_->cluster_name, fmt::join(workload_->nominated, ","),
                       workload_->QuotaReserved(), workload_->Evicted(), workload_->Finished());
  }
  for (const ClusterView& worker : workers_) {
    const LineAnswer& line = LineOf(worker);
    text += fmt::format("\n  {}: contact {} verdict {} line {} clone {} job {}", worker.name.value,
                        static_cast<int>(worker.contact), ToString(worker.verdict.outcome),
                        !line.after          ? "-"
                        : line.after_waiting ? "waits"
                                             : "goes",
                        worker.clone == nullptr    ? "-"
                        : worker.clone->Admitted() ? "admitted"
                                                   : "waiting",
                        worker.job == nullptr ? "-"
                        : HasOurJob(worker)   ? "ours"
                                              : "foreign");
  }
  return text;
}

}  // namespace fedra::placement::testing
