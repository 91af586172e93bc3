#include "manager/tracking/job_members.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

// An object that was left in a member's place by another job says nothing of a group.
const GroupMember& SaidBy(const Job& member) {
  static const GroupMember nothing;
  return member.member == nullptr ? nothing : *member.member;
}

bool HasSucceeded(const JobPtr& member) { return member->finished && !member->failed; }

// As many as must.
bool HaveSucceeded(const std::vector<JobPtr>& members) {
  const int total = SaidBy(*members.front()).total;
  return total > 0 && std::ranges::count_if(members, HasSucceeded) >= total;
}

// Or all have ended, and none of them is replaced.
bool HaveEnded(const std::vector<JobPtr>& members) {
  if (SaidBy(*members.front()).serves) return false;
  if (HaveSucceeded(members)) return true;
  const bool replaced =
      std::ranges::all_of(members, [](const JobPtr& one) { return SaidBy(*one).retriable; });
  return !replaced && std::ranges::all_of(members, &Job::finished);
}

// One that runs, or may.
bool IsLive(const JobPtr& member) { return !member->finished && !member->deleting; }

// Of a group; null: it has no member of this name.
JobPtr FindNamed(const Job& group, std::string_view name) {
  const auto found = std::ranges::lower_bound(
      group.members, name, {}, [](const JobPtr& one) -> std::string_view { return one->key.name; });
  return found != group.members.end() && (*found)->key.name == name ? *found : nullptr;
}

bool HoldsFinalizer(const Job& copy) {
  const std::vector<std::string>& finalizers = SaidBy(copy).finalizers;
  return std::ranges::find(finalizers, kManaged) != finalizers.end();
}

// Whether it was deleted without an end of its own, and does not run any more: Kueue's finalizer is
// all that keeps it.
bool IsHusk(const Job& copy) {
  return copy.deleting && !copy.finished && copy.active_pods == 0 && HoldsFinalizer(copy);
}

// Whether the copy, one of `all`, stands for this object.
bool StandsFor(const Job& copy, const Job& all, const Job& local) {
  return copy.marks == all.marks && SaidBy(copy).copy_of == local.uid;
}

}  // namespace

JobPtr JoinMembers(const ObjectKey& workload, std::vector<JobPtr> members) {
  if (members.empty()) return nullptr;
  auto job = std::make_shared<Job>();
  const Job& first = *members.front();
  job->key = workload;
  job->kind = first.kind;
  job->marks = first.marks;
  job->prebuilt_workload = first.prebuilt_workload;
  job->managed_by = first.managed_by;
  job->labels_json = first.labels_json;
  std::ranges::sort(members, {}, [](const JobPtr& one) { return one->key; });
  job->created = (*std::ranges::min_element(members, {}, &Job::created))->created;
  job->deleting = std::ranges::all_of(members, &Job::deleting);
  job->finished = HaveEnded(members);
  job->failed = job->finished && !HaveSucceeded(members);
  job->suspended = std::ranges::all_of(
      members, [](const JobPtr& one) { return one->suspended || one->finished; });
  for (const JobPtr& one : members) {
    if (one->managed_by != kManagedBy) job->managed_by = one->managed_by;
    job->active_pods += one->active_pods;
    job->shows_activity |= one->shows_activity && IsLive(one);
  }
  job->members = std::move(members);
  return job;
}

std::vector<JobPtr> ObjectsOf(const JobPtr& job) {
  if (job == nullptr) return {};
  return job->is_group() ? job->members : std::vector<JobPtr>{job};
}

bool HaveAllEnded(const Job& job) {
  return job.is_group() ? std::ranges::all_of(job.members, &Job::finished) : job.finished;
}

std::vector<CopyPair> PairsOf(const JobPtr& local, const JobPtr& remote) {
  if (local == nullptr || remote == nullptr) return {};
  if (!local->is_group()) return {{local, remote}};
  std::vector<CopyPair> pairs;
  for (const JobPtr& one : local->members) {
    JobPtr copy = FindNamed(*remote, one->key.name);
    if (copy != nullptr && StandsFor(*copy, *remote, *one)) pairs.push_back({one, std::move(copy)});
  }
  return pairs;
}

std::vector<JobPtr> MissingOf(const JobPtr& local, const JobPtr& remote) {
  if (local == nullptr) return {};
  if (!local->is_group())
    return remote == nullptr ? std::vector<JobPtr>{local} : std::vector<JobPtr>{};
  std::vector<JobPtr> missing;
  for (const JobPtr& one : local->members) {
    const bool is_there = remote != nullptr && FindNamed(*remote, one->key.name) != nullptr;
    if (IsLive(one) && !is_there) missing.push_back(one);
  }
  return missing;
}

std::vector<JobPtr> SurplusOf(const JobPtr& local, const JobPtr& remote) {
  std::vector<JobPtr> surplus;
  if (local == nullptr || remote == nullptr || !local->is_group()) return surplus;
  for (const JobPtr& copy : remote->members) {
    const JobPtr original = FindNamed(*local, copy->key.name);
    const bool stays = original != nullptr && !original->deleting &&
                       StandsFor(*copy, *remote, *original) && !IsHusk(*copy);
    if (!stays && IsToBeRemoved(*copy)) surplus.push_back(copy);
  }
  return surplus;
}

bool IsToBeRemoved(const Job& copy) { return !copy.deleting || HoldsFinalizer(copy); }

bool ShowsNewEnd(const JobPtr& local, const JobPtr& remote) {
  if (local == nullptr || remote == nullptr) return false;
  if (!local->is_group()) return remote->finished && !local->finished;
  return std::ranges::any_of(PairsOf(local, remote), [](const CopyPair& pair) {
    return pair.remote->finished && IsLive(pair.local);
  });
}

}  // namespace fedra::tracking
