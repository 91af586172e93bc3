// What Kueue's MultiKueue does to the world while it is in fedra's place, in mode multikueue.
// Source: reconcileGroup() of pkg/controller/admissionchecks/multikueue/workload.go, Kueue 0.19.2.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {

using tracking::CheckState;

void World::NominateByMultiKueue() {
  if (!LooksForWorker()) return;
  workload_->nominated.clear();
  for (ClusterView& at : workers_) {
    if (at.contact != Contact::kFull) continue;
    workload_->nominated.push_back(at.name.value);
    if (at.clone == nullptr) at.clone = MakeClone(at, {us_.origin, {}, {}, {}});
  }
  Restart();
}

bool World::PlaceByMultiKueue(const std::string& name) {
  REQUIRE_FALSE(kind_.holds_check);  // the check becomes Ready below
  if (!LooksForWorker() ||
      std::ranges::find(workload_->nominated, name) == workload_->nominated.end())
    return false;
  // One that has ended comes first.
  const bool has_ended = std::ranges::any_of(workers_, [](const ClusterView& each) {
    return each.contact == Contact::kFull && HasOurClone(each) && each.clone->Finished();
  });
  ClusterView& at = worker(name);
  const bool is_free = at.job == nullptr || HasItsJob(at);
  if (has_ended || at.contact != Contact::kFull || !HasItsClone(at) || !at.clone->Admitted() ||
      !is_free)
    return false;
  for (ClusterView& other : workers_) {
    if (other.name == at.name || other.contact != Contact::kFull || !HasOurClone(other)) continue;
    other.clone = nullptr;
    if (HasItsJob(other)) other.job = nullptr;
  }
  if (at.job == nullptr) at.job = MakeJob(at, {us_.origin, {}, {}, kind_.workload});
  workload_->cluster_name = placed_on_ = name;
  workload_->nominated.clear();
  Check() = {kCheck, CheckState::kReady, fmt::format("The workload was admitted on \"{}\"", name),
             now_};
  Restart();
  return true;
}

bool World::TakeBackByMultiKueue() {
  if (workload_ == nullptr || workload_->Finished() || workload_->Evicted() ||
      !workload_->QuotaReserved() || State() != CheckState::kReady ||
      workload_->cluster_name.empty())
    return false;
  const ClusterView& at = worker(workload_->cluster_name);
  if (at.contact == Contact::kFull && HasItsClone(at) && at.clone->Admitted()) return false;
  Check() = {kCheck, CheckState::kRetry, "Admitting remote no longer exists, Previously: \"Ready\"",
             now_};
  Restart();
  return true;
}

void World::PutLeftOverJob(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.job == nullptr) at.job = MakeJob(at, {us_.origin, {}, {}, "job-train-0ld00"});
}

}  // namespace fedra::placement::testing
