#include "tests/unit/manager/placement/group_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/refusal.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::placement::testing {
namespace {

using Pod = GroupWorld::Pod;
using Pods = GroupWorld::Pods;
using PodPhase = GroupWorld::PodPhase;
using tracking::JobPtr;

bool HasPhaseOfEnd(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

// By itself: neither Kueue nor a user who has deleted the copy has ended it.
bool HasOwnEnd(const Pod& pod, bool is_copy) {
  if (pod.stopped) return false;
  const bool was_deleted = is_copy && pod.deleting && pod.phase == PodPhase::kFailed;
  return HasPhaseOfEnd(pod) && !was_deleted;
}

bool MayRun(const Pod& pod, bool is_copy) { return !HasOwnEnd(pod, is_copy) && !pod.deleting; }

// Only Kueue's finalizer keeps it.
bool IsRemnant(const Pod& copy) {
  return copy.deleting && copy.held && copy.phase != PodPhase::kRunning &&
         !HasOwnEnd(copy, /*is_copy=*/true);
}

void EraseGone(Pods& pods) {
  std::erase_if(pods, [](const auto& each) { return each.second.deleting && !each.second.held; });
}

void Kill(Pod& pod) {
  if (pod.phase == PodPhase::kRunning) pod.phase = PodPhase::kFailed;
  pod.deleting = true;
}

// Those that wait behind their gates rest already.
void Stop(Pods& pods) {
  for (auto& [name, pod] : pods) {
    if (!pod.is_ours || pod.gated || pod.deleting || HasPhaseOfEnd(pod)) continue;
    pod.stopped = true;
    Kill(pod);
  }
}

void LetGo(Pods& pods) {
  for (auto& [name, pod] : pods)
    if (pod.is_ours) pod.held = false;
  EraseGone(pods);
}

}  // namespace

GroupWorld::GroupWorld(const std::vector<std::string>& workers, Policy policy, int total,
                       bool retriable, tracking::Mode mode)
    : World(workers, policy, {.holds_check = true}, mode), total_(total), retriable_(retriable) {
  workload().is_pod_group = true;
  workload().owner = {"v1", std::string(tracking::kGroupOfPods), kWorkload.name, ""};
  for (int i = 0; i < total; ++i) here_[fmt::format("p{}", i)] = {.uid = NewUid()};
  for (const std::string& name : workers) there_[name];
  Show();
}

JobPtr GroupWorld::Read(const std::string& name, const Pod& pod, bool is_copy) const {
  auto job = std::make_shared<tracking::Job>();
  job->key = {kWorkload.ns, name};
  job->uid = pod.uid;
  job->managed_by = tracking::kManagedBy;
  job->deleting = pod.deleting;
  job->suspended = pod.gated;
  job->finished = HasOwnEnd(pod, is_copy);
  job->failed = job->finished && pod.phase == PodPhase::kFailed;
  job->active_pods = pod.phase == PodPhase::kRunning ? 1 : 0;
  job->shows_activity = pod.phase == PodPhase::kRunning;
  if (is_copy) {
    job->prebuilt_workload = kWorkload.name;
    job->marks = {us().origin, us().manager, kUid, kWorkload.name};
  }
  std::vector<std::string> finalizers;
  if (pod.held) finalizers.emplace_back(tracking::kManaged);
  job->member = std::make_shared<const tracking::GroupMember>(
      tracking::GroupMember{.group = kWorkload.name,
                            .total = total_,
                            .retriable = retriable_,
                            .copy_of = pod.copy_of,
                            .finalizers = std::move(finalizers)});
  return job;
}

JobPtr GroupWorld::Join(const Pods& pods, bool are_copies) const {
  std::vector<JobPtr> members;
  for (const auto& [name, pod] : pods)
    if (pod.is_ours) members.push_back(Read(name, pod, are_copies));
  return tracking::JoinMembers(kWorkload, std::move(members));
}

void GroupWorld::Show() {
  if (WorkloadExists()) {
    *job() = *Join(here_, /*are_copies=*/false);
    REQUIRE(job()->finished == HasEnded(here_));
  }
  for (auto& [name, pods] : there_) {
    ClusterView& at = worker(name);
    at.job = Join(pods, /*are_copies=*/true);
    at.in_the_way = nullptr;
    for (const auto& [pod_name, pod] : pods) {
      const auto mine = here_.find(pod_name);
      if (!pod.is_ours && mine != here_.end() && MayRun(mine->second, /*is_copy=*/false))
        at.in_the_way = Read(pod_name, pod, /*is_copy=*/false);
    }
  }
}

bool GroupWorld::HasEnded(const Pods& pods) const {
  int succeeded = 0;
  int ours = 0;
  bool all_ended = true;
  for (const auto& [name, pod] : pods) {
    if (!pod.is_ours) continue;
    ++ours;
    succeeded += pod.phase == PodPhase::kSucceeded ? 1 : 0;
    all_ended &= HasPhaseOfEnd(pod);
  }
  return ours > 0 && (succeeded >= total_ || (all_ended && !retriable_));
}

int GroupWorld::Missing() const {
  return total_ - static_cast<int>(std::ranges::count_if(here_, [](const auto& each) {
           return !each.second.deleting && each.second.phase != PodPhase::kFailed;
         }));
}

void GroupWorld::Replace(bool reuse_name) {
  if (!WorkloadExists() || !retriable_ || workload().Finished() || Missing() <= 0) return;
  int number = reuse_name ? 0 : made_;
  while (here_.contains(fmt::format("p{}", number))) ++number;
  here_[fmt::format("p{}", number)] = {.uid = NewUid()};
  Show();
}

void GroupWorld::DeletePod(const std::string& name) {
  const auto found = here_.find(name);
  if (found == here_.end() || !retriable_ || found->second.phase == PodPhase::kSucceeded) return;
  found->second.deleting = true;
  EraseGone(here_);
  CollectGarbage();
}

void GroupWorld::CollectGarbage() {
  if (here_.empty()) World::DeleteWorkload();
  Show();
}

// MatchGroup, as the simulation calls it (tests/sim/kueue/pod_groups.cc).
void GroupWorld::LetGoReplaced() {
  std::vector<Pod*> over;
  for (auto& [name, pod] : here_)
    if (pod.deleting || pod.phase == PodPhase::kFailed) over.push_back(&pod);
  const size_t waited_for = std::min(over.size(), static_cast<size_t>(std::max(Missing(), 0)));
  for (size_t i = 0; i < over.size() - waited_for; ++i) over[i]->held = false;
  EraseGone(here_);
}

void GroupWorld::RunManagerKueue() {
  if (WorkloadExists()) LetGoReplaced();
  if (WorkloadExists()) Show();
  World::RunManagerKueue();
  if (!WorkloadExists() || !workload().Finished()) return;
  LetGo(here_);
  CollectGarbage();
}

void GroupWorld::RunKueueOn(const std::string& name) {
  ClusterView& at = worker(name);
  Pods& pods = there_[name];
  const bool has_clone = HasOurClone(at);
  if (has_clone && at.clone->Finished()) {
    LetGo(pods);
  } else if (has_clone && HasEnded(pods)) {
    Edit(at)->finished = {true, std::string(tracking::kSucceeded), "Pods succeeded", now()};
  } else if (!has_clone || !at.clone->Admitted() || at.clone->Evicted()) {
    Stop(pods);
  } else {
    for (auto& [pod_name, pod] : pods) {
      if (!pod.is_ours || !pod.gated || pod.deleting) continue;
      pod.gated = false;
      pod.phase = PodPhase::kRunning;
    }
  }
  Show();
}

void GroupWorld::EndPodOn(const std::string& worker, const std::string& name, bool success) {
  const auto found = there_[worker].find(name);
  if (found == there_[worker].end() || found->second.phase != PodPhase::kRunning) return;
  found->second.phase = success ? PodPhase::kSucceeded : PodPhase::kFailed;
  Show();
}

void GroupWorld::DeletePodOn(const std::string& worker, const std::string& name) {
  const auto found = there_[worker].find(name);
  if (found == there_[worker].end() || !found->second.is_ours) return;
  Kill(found->second);
  EraseGone(there_[worker]);
  Show();
}

void GroupWorld::PutForeignPod(const std::string& worker, const std::string& name) {
  const std::string uid = NewUid();
  const auto [pod, is_new] = there_[worker].try_emplace(
      name, Pod{.uid = uid, .is_ours = false, .gated = false, .held = false});
  if (is_new) foreign_.insert(uid);
  Show();
}

void GroupWorld::RemoveForeignPods(const std::string& worker) {
  std::erase_if(there_[worker], [&](const auto& each) {
    return !each.second.is_ours && foreign_.erase(each.second.uid) > 0;
  });
  Show();
}

void GroupWorld::EvictOn(const std::string& name) {
  World::EvictOn(name);
  const ClusterView& at = worker(name);
  if (HasOurClone(at) && at.clone->Evicted()) Stop(there_[name]);
  Show();
}

bool GroupWorld::Finish(const std::string& worker) {
  bool has_ended = false;
  for (auto& [name, pod] : there_[worker]) {
    if (!pod.is_ours || pod.phase != PodPhase::kRunning) continue;
    pod.phase = PodPhase::kSucceeded;
    has_ended = true;
  }
  Show();
  return has_ended;
}

void GroupWorld::DeleteJobOn(const std::string& worker) {
  const Pods pods = there_[worker];
  for (const auto& [name, pod] : pods) DeletePodOn(worker, name);
}

void GroupWorld::DeleteCloneOn(const std::string& name) {
  World::DeleteCloneOn(name);
  if (worker(name).clone == nullptr) Stop(there_[name]);
  Show();
}

void GroupWorld::DeleteWorkload() {
  here_.clear();
  CollectGarbage();
}

// The functions that tell the executor what to do are asked, and their answers are checked.

bool GroupWorld::CreateCopies(ClusterView& at) {
  Pods& pods = there_[at.name.value];
  std::set<std::string> wanted;
  for (const auto& [name, pod] : here_)
    if (MayRun(pod, /*is_copy=*/false) && !pods.contains(name)) wanted.insert(name);
  for (const JobPtr& one : tracking::MissingOf(Local(), at.job)) {
    const std::string& name = one->key.name;
    INFO(name << "\n" << Print());
    if (const auto found = pods.find(name); found != pods.end()) {
      REQUIRE_FALSE(found->second.is_ours);
      Fail(
          RefusalOf(at.name, verdict::ReasonCode::kNameConflict, "it exists there", now()).failure);
      Show();
      return false;
    }
    // What has ended is not run again.
    REQUIRE(wanted.erase(name) == 1);
    pods[name] = {.uid = NewUid(), .copy_of = here_.at(name).uid};
  }
  REQUIRE(wanted.empty());
  Show();
  return true;
}

bool GroupWorld::StandsForOne(const std::string& name, const Pod& copy) const {
  const auto mine = here_.find(name);
  return mine != here_.end() && mine->second.uid == copy.copy_of;
}

void GroupWorld::Mirror(const ClusterView& at) {
  const Pods& pods = there_.at(at.name.value);
  for (const tracking::CopyPair& pair : tracking::PairsOf(Local(), at.job)) {
    Pod& mine = here_.at(pair.local->key.name);
    const Pod& copy = pods.at(pair.remote->key.name);
    REQUIRE(copy.is_ours);
    REQUIRE(copy.copy_of == mine.uid);
    if (!MayRun(mine, /*is_copy=*/false)) continue;
    if (copy.stopped || (copy.deleting && copy.phase == PodPhase::kFailed)) continue;
    mine.phase = copy.phase;
  }
  Show();
}

void GroupWorld::ClearStatus() {
  for (auto& [name, pod] : here_)
    if (pod.phase == PodPhase::kRunning && !pod.deleting) pod.phase = PodPhase::kPending;
  Show();
}

void GroupWorld::RemoveStray(ClusterView& at) {
  Pods& pods = there_[at.name.value];
  const auto is_stray = [&](const std::string& name, const Pod& copy) {
    return !StandsForOne(name, copy) || here_.at(name).deleting || IsRemnant(copy);
  };
  const std::vector<JobPtr> strays = tracking::SurplusOf(Local(), at.job);
  REQUIRE_FALSE(strays.empty());
  for (const JobPtr& one : strays) {
    const auto found = pods.find(one->key.name);
    REQUIRE(found != pods.end());
    REQUIRE(found->second.is_ours);
    REQUIRE(is_stray(one->key.name, found->second));
    pods.erase(found);
  }
  for (const auto& [name, pod] : pods) REQUIRE((!pod.is_ours || !is_stray(name, pod)));
  Show();
}

void GroupWorld::RemoveCopies(ClusterView& at) {
  std::erase_if(there_[at.name.value], [](const auto& each) { return each.second.is_ours; });
  Show();
}

std::string GroupWorld::PrintAll() const {
  std::string text =
      fmt::format("{} must succeed{}; {}", total_, retriable_ ? "" : ", none is replaced", Print());
  const auto add = [&](const std::string& where, const Pods& pods) {
    for (const auto& [name, pod] : pods) {
      text += fmt::format("\n  {}: {} {}{}{}{}{}{}{}", where, name, pod.uid,
                          pod.copy_of.empty() ? "" : " copy of ", pod.copy_of,
                          pod.is_ours ? "" : " of somebody else", pod.gated ? " gated" : "",
                          pod.stopped ? " stopped" : "", pod.deleting ? " deleting" : "");
      text += fmt::format("{} phase {}", pod.held ? " held" : "", static_cast<int>(pod.phase));
    }
  };
  add("manager", here_);
  for (const auto& [name, pods] : there_) add(name, pods);
  return text;
}

void GroupWorld::CheckEndsAreKnown(const ClusterView& at) const {
  if (job()->finished) return;
  for (const auto& [name, copy] : there_.at(at.name.value)) {
    if (!copy.is_ours || !HasOwnEnd(copy, /*is_copy=*/true) || !StandsForOne(name, copy)) continue;
    INFO(name);
    REQUIRE_FALSE(MayRun(here_.at(name), /*is_copy=*/false));
  }
}

}  // namespace fedra::placement::testing
