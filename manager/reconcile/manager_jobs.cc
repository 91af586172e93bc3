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
            IndexOwner(key, before.get(), after.get());
            listener_.on_object(key, after.get());
            listener_.on_workload(key);
            const tracking::Workload& seen = after != nullptr ? *after : *before;
            if (seen.is_part && placement::MayHaveMoved(before.get(), after.get()))
              TellSiblings(seen);
            // The copy may name the slice before, which left it to this one.
            if (after == nullptr && seen.slice != nullptr && !seen.slice->replaces.empty())
              listener_.on_workload({key.ns, seen.slice->replaces});
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
    const auto workload =
        known.member == nullptr ? WorkloadOf({kind.name(), key}) : GroupWorkloadOf(known);
    if (!workload) return;
    const auto asks = [](const auto& job) { return job == nullptr ? nullptr : job->asks; };
    if (asks(before) != asks(after)) listener_.on_asks(*workload);
    const bool progress =
        before != nullptr && after != nullptr && tracking::IsProgress(*before, *after);
    progress ? listener_.on_progress(*workload) : listener_.on_workload(*workload);
    // How it ends, and its size, are every slice's business.
    if (known.elastic && !progress)
      for (const auto& slice : SlicesOf({kind.name(), key}))
        if (slice->key != *workload) listener_.on_workload(slice->key);
    if ((before == nullptr) == (after == nullptr)) return;
    // All parts look at it, and events are the first one's.
    if (const auto first = workloads_.Find(*workload)) TellSiblings(*first);
  };
}

void ManagerJobs::OfJob::Put(const tracking::Workload& workload) {
  Erase(workload.key);
  const bool ends = workload.deleting || workload.Finished();
  const Worth worth(!ends, !workload.follows, workload.created, workload.key);
  worth_.emplace(workload.key, worth);
  order_.insert(worth);
  if (workload.is_part) (workload.follows ? followers_ : firsts_).insert(workload.key);
}

void ManagerJobs::OfJob::Erase(const ObjectKey& workload) {
  const auto found = worth_.find(workload);
  if (found == worth_.end()) return;
  order_.erase(found->second);
  worth_.erase(found);
  firsts_.erase(workload);
  followers_.erase(workload);
}

std::vector<ObjectKey> ManagerJobs::OfJob::all() const {
  std::vector<ObjectKey> keys;
  for (const auto& [key, worth] : worth_) keys.push_back(key);
  return keys;
}

std::vector<ObjectKey> ManagerJobs::OfJob::SiblingsOf(const tracking::Workload& workload) const {
  std::vector<ObjectKey> siblings(firsts_.begin(), firsts_.end());
  if (workload.follows) return siblings;
  siblings.insert(siblings.end(), followers_.begin(), followers_.end());
  std::erase(siblings, workload.key);
  return siblings;
}

// The owner of a Workload may change, too: --cascade=orphan takes it away.
void ManagerJobs::IndexOwner(const ObjectKey& key, const tracking::Workload* before,
                             const tracking::Workload* after) {
  const auto job_of = [&](const tracking::Workload& workload) {
    return tracking::JobKey{workload.requirement.kind, {key.ns, workload.owner.name}};
  };
  workloads_of_.With([&](auto& index) {
    for (const tracking::Workload* seen : {before, after}) {
      const auto known = seen == nullptr ? index.end() : index.find(job_of(*seen));
      if (known == index.end()) continue;
      known->second.Erase(key);
      if (known->second.empty()) index.erase(known);
    }
    if (after != nullptr) index[job_of(*after)].Put(*after);
  });
}

std::vector<std::shared_ptr<const tracking::Workload>> ManagerJobs::SiblingsOf(
    const tracking::Workload& workload) const {
  std::vector<std::shared_ptr<const tracking::Workload>> siblings;
  if (!workload.is_part) return siblings;
  const tracking::JobKey job{workload.requirement.kind, {workload.key.ns, workload.owner.name}};
  const auto keys = workloads_of_.With([&](const auto& index) {
    const auto found = index.find(job);
    return found == index.end() ? std::vector<ObjectKey>() : found->second.SiblingsOf(workload);
  });
  for (const ObjectKey& key : keys) {
    auto sibling = workloads_.Find(key);
    // Of another job of that name, which this one replaces, or is replaced by.
    if (sibling != nullptr && sibling->is_part && sibling->owner.uid == workload.owner.uid)
      siblings.push_back(std::move(sibling));
  }
  return siblings;
}

std::vector<std::shared_ptr<const tracking::Workload>> ManagerJobs::SlicesOf(
    const tracking::JobKey& job) const {
  const auto keys = workloads_of_.With([&](const auto& index) {
    const auto found = index.find(job);
    return found == index.end() ? std::vector<ObjectKey>() : found->second.all();
  });
  std::vector<std::shared_ptr<const tracking::Workload>> slices;
  for (const ObjectKey& key : keys) {
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
  auto owned = workloads_of_.With([&](const auto& index) -> std::optional<ObjectKey> {
    const auto found = index.find(job);
    return found == index.end() ? std::nullopt : std::optional(found->second.worthiest());
  });
  if (owned) return owned;
  const tracking::JobAdapter* adapter = kinds_->FindName(job.kind);
  if (adapter == nullptr || adapter->group_kind().empty()) return std::nullopt;
  const auto object = jobs_[kinds_->IndexOf(*adapter)].cache->Find(job.key);
  return object == nullptr ? std::nullopt : GroupWorkloadOf(*object);
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
