#include "manager/reconcile/manager_jobs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/placement/parts.h"
#include "manager/reconcile/sets_by_key.h"
#include "manager/tracking/job_members.h"

namespace fedra::reconcile {
ManagerJobs::ManagerJobs(tracking::JobKindsPtr kinds, const Clock& clock,
                         ManagerJobsListener listener)
    : kinds_(std::move(kinds)),
      listener_(std::move(listener)),
      workloads_(
          &tracking::ParseWorkload,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            owners_.Note(key, before.get(), after.get());
            listener_.on_object(key, after.get());
            for (const ObjectKey& woken : owners_.WokenByWorkload(key, before.get(), after.get()))
              listener_.on_workload(woken);
            const tracking::Workload& seen = after != nullptr ? *after : *before;
            if (seen.is_part && placement::MayHaveMoved(before.get(), after.get()))
              TellSiblings(seen);
          },
          [](const watch::CacheHealth&) {}, clock),
      jobs_(kinds_->all().size()) {
  MakeJobCaches(clock);
}

void ManagerJobs::MakeJobCaches(const Clock& clock) {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const tracking::JobAdapter* const adapter = kinds_->all()[i];
    jobs_[i].cache = std::make_unique<watch::TrackedCache<tracking::Job>>(
        [adapter](const nlohmann::json& object) { return adapter->Parse(object); },
        JobListener(*adapter), [](const watch::CacheHealth&) {}, clock);
    // Where they may not be read nothing is compared with them.
    jobs_[i].references = std::make_unique<verify::ReferenceIndex>(
        adapter->ReferencedResources(), [this](const ObjectKey&) { listener_.on_references(); },
        [] {});
  }
}

const verify::ReferenceIndex& ManagerJobs::references(const tracking::JobAdapter& adapter) const {
  return *jobs_[kinds_->IndexOf(adapter)].references;
}

watch::TrackedCache<tracking::Job>::OnObject ManagerJobs::JobListener(
    const tracking::JobAdapter& kind) {
  return [this, &kind](const ObjectKey& key, const auto& before, const auto& after) {
    IndexMember(key, before.get(), after.get());
    const tracking::Job& known = after != nullptr ? *after : *before;
    std::vector<ObjectKey> woken;
    if (known.member == nullptr)
      woken = owners_.WokenByJob({kind.name(), key}, before.get(), after.get());
    else if (const auto workload = GroupWorkloadOf(known))
      woken = {*workload};
    if (woken.empty()) return;
    const auto asks = [](const auto& job) { return job == nullptr ? nullptr : job->asks; };
    if (asks(before) != asks(after)) listener_.on_asks(woken.front());
    const bool progress =
        before != nullptr && after != nullptr && tracking::IsProgress(*before, *after);
    for (const ObjectKey& workload : woken)
      progress ? listener_.on_progress(workload) : listener_.on_workload(workload);
    if ((before == nullptr) == (after == nullptr)) return;
    // All parts look at it, and events are the first one's.
    if (const auto first = workloads_.Find(woken.front())) TellSiblings(*first);
  };
}

std::vector<std::shared_ptr<const tracking::Workload>> ManagerJobs::SiblingsOf(
    const tracking::Workload& workload) const {
  std::vector<std::shared_ptr<const tracking::Workload>> siblings;
  if (!workload.is_part) return siblings;
  for (const ObjectKey& key : owners_.SiblingsOf(workload)) {
    auto sibling = workloads_.Find(key);
    // Of another job of that name, which this one replaces, or is replaced by.
    if (sibling != nullptr && sibling->is_part && sibling->owner.uid == workload.owner.uid)
      siblings.push_back(std::move(sibling));
  }
  return siblings;
}

std::vector<std::shared_ptr<const tracking::Workload>> ManagerJobs::SlicesOf(
    const tracking::JobKey& job) const {
  std::vector<std::shared_ptr<const tracking::Workload>> slices;
  for (const ObjectKey& key : owners_.SlicesOf(job)) {
    auto slice = workloads_.Find(key);
    if (slice != nullptr && slice->slice != nullptr) slices.push_back(std::move(slice));
  }
  return slices;
}

void ManagerJobs::TellSiblings(const tracking::Workload& part) const {
  std::vector<ObjectKey> keys;
  for (const auto& sibling : SiblingsOf(part)) keys.push_back(sibling->key);
  if (!keys.empty()) listener_.on_siblings(keys);
}

void ManagerJobs::IndexMember(const ObjectKey& key, const tracking::Job* before,
                              const tracking::Job* after) {
  const auto group_of = [](const tracking::Job* job) {
    return job == nullptr ? nullptr : job->member.get();
  };
  const tracking::GroupMember* left = group_of(before);
  const tracking::GroupMember* joined = group_of(after);
  if (left == nullptr && joined == nullptr) return;
  members_of_.With([&](auto& index) {
    if (left != nullptr) EraseFrom(index, ObjectKey{key.ns, left->group}, key);
    if (joined != nullptr) index[{key.ns, joined->group}].insert(key);
  });
}

std::optional<ObjectKey> ManagerJobs::GroupWorkloadOf(const tracking::Job& job) const {
  if (job.member == nullptr) return std::nullopt;
  const ObjectKey key{job.key.ns, job.member->group};
  const auto workload = workloads_.Find(key);
  return workload != nullptr && workload->is_pod_group ? std::optional(key) : std::nullopt;
}

std::shared_ptr<const tracking::Job> ManagerJobs::GroupOf(
    const tracking::Workload& workload, const tracking::JobAdapter& adapter) const {
  const std::set<ObjectKey> keys = members_of_.With([&](const auto& index) {
    const auto found = index.find(workload.key);
    return found == index.end() ? std::set<ObjectKey>() : found->second;
  });
  std::vector<tracking::JobPtr> members;
  for (const ObjectKey& key : keys) {
    auto job = jobs_[kinds_->IndexOf(adapter)].cache->Find(key);
    if (job != nullptr && job->member != nullptr && job->member->group == workload.key.name &&
        std::ranges::binary_search(workload.member_uids, job->uid))
      members.push_back(std::move(job));
  }
  return tracking::JoinMembers(workload.key, std::move(members));
}

// A kind that was served once stays: that it is not served now proves nothing.
void ManagerJobs::NoteKinds(const kube::ServerInfo* server) {
  bool any = false;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const kube::Resource& resource = kinds_->all()[i]->resource();
    const bool is_used = i == 0 || (server != nullptr && server->Serves(resource));
    any |= is_used && !jobs_[i].used.exchange(true);
  }
  if (any) listener_.on_kinds(KindsInUse());
}

std::vector<const tracking::JobAdapter*> ManagerJobs::KindsInUse() const {
  std::vector<const tracking::JobAdapter*> used;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].used) used.push_back(kinds_->all()[i]);
  }
  return used;
}

bool ManagerJobs::IsInUse(const tracking::JobAdapter& kind) const {
  return jobs_[kinds_->IndexOf(kind)].used;
}

std::vector<ObjectKey> ManagerJobs::TakeOverdue() {
  std::vector<ObjectKey> workloads = workloads_.own().TakeOverdue();
  for (size_t i = 0; i < jobs_.size(); ++i) {
    for (const ObjectKey& key : jobs_[i].cache->own().TakeOverdue()) {
      if (const auto workload = WorkloadOf({kinds_->all()[i]->name(), key}))
        workloads.push_back(*workload);
    }
  }
  return workloads;
}

watch::TrackedCache<tracking::Job>& ManagerJobs::Of(const tracking::JobAdapter& adapter) {
  return *jobs_[kinds_->IndexOf(adapter)].cache;
}

std::optional<ObjectKey> ManagerJobs::WorkloadOf(const tracking::JobKey& job) const {
  if (auto owned = owners_.WorkloadOf(job)) return owned;
  const tracking::JobAdapter* adapter = kinds_->FindName(job.kind);
  if (adapter == nullptr || adapter->group_kind().empty()) return std::nullopt;
  const auto object = jobs_[kinds_->IndexOf(*adapter)].cache->Find(job.key);
  return object == nullptr ? std::nullopt : GroupWorkloadOf(*object);
}

std::vector<ObjectKey> ManagerJobs::WokenByCopy(const tracking::JobKey& job) const {
  std::vector<ObjectKey> woken = owners_.WokenByCopy(job);
  if (woken.empty())
    if (const auto group = WorkloadOf(job)) woken = {*group};
  return woken;
}

std::shared_ptr<const tracking::Job> ManagerJobs::JobOf(const tracking::Workload& workload) const {
  const tracking::Owner& owner = workload.owner;
  const tracking::JobAdapter* adapter = kinds_->Find(owner.api_version, owner.kind);
  if (adapter == nullptr) return nullptr;
  if (workload.is_pod_group) return GroupOf(workload, *adapter);
  auto job = jobs_[kinds_->IndexOf(*adapter)].cache->Find({workload.key.ns, owner.name});
  return job != nullptr && job->uid == owner.uid ? job : nullptr;
}

std::shared_ptr<const tracking::Workload> ManagerJobs::Completed(
    std::shared_ptr<const tracking::Workload> workload) const {
  const auto job = JobOf(*workload);
  return job == nullptr ? workload : tracking::Completed(std::move(workload), *job);
}

}  // namespace fedra::reconcile
