#include "manager/reconcile/owner_index.h"

#include "manager/placement/slices.h"

namespace fedra::reconcile {
namespace {

tracking::JobKey OwnerOf(const ObjectKey& key, const tracking::Workload& workload) {
  return {workload.requirement.kind, {key.ns, workload.owner.name}};
}

}  // namespace

void OwnerIndex::OfJob::Put(const tracking::Workload& workload) {
  Erase(workload.key);
  const bool ends = workload.deleting || workload.Finished();
  const Worth worth(!ends, !workload.follows, workload.created, workload.key);
  worth_.emplace(workload.key, worth);
  order_.insert(worth);
  if (workload.is_part) (workload.follows ? followers_ : firsts_).insert(workload.key);
  if (workload.slice != nullptr) slices_.insert(workload.key);
}

void OwnerIndex::OfJob::Erase(const ObjectKey& workload) {
  const auto found = worth_.find(workload);
  if (found == worth_.end()) return;
  order_.erase(found->second);
  worth_.erase(found);
  firsts_.erase(workload);
  followers_.erase(workload);
  slices_.erase(workload);
}

std::vector<ObjectKey> OwnerIndex::OfJob::SiblingsOf(const tracking::Workload& workload) const {
  std::vector<ObjectKey> siblings(firsts_.begin(), firsts_.end());
  if (workload.follows) return siblings;
  siblings.insert(siblings.end(), followers_.begin(), followers_.end());
  std::erase(siblings, workload.key);
  return siblings;
}

// The owner of a Workload may change, too: --cascade=orphan takes it away.
void OwnerIndex::Note(const ObjectKey& key, const tracking::Workload* before,
                      const tracking::Workload* after) {
  workloads_of_.With([&](auto& index) {
    for (const tracking::Workload* seen : {before, after}) {
      const auto known = seen == nullptr ? index.end() : index.find(OwnerOf(key, *seen));
      if (known == index.end()) continue;
      known->second.Erase(key);
      if (known->second.empty()) index.erase(known);
    }
    if (after != nullptr) index[OwnerOf(key, *after)].Put(*after);
  });
}

std::optional<ObjectKey> OwnerIndex::WorkloadOf(const tracking::JobKey& job) const {
  return workloads_of_.With([&](const auto& index) -> std::optional<ObjectKey> {
    const auto found = index.find(job);
    return found == index.end() ? std::nullopt : std::optional(found->second.worthiest());
  });
}

std::set<ObjectKey> OwnerIndex::SlicesOf(const tracking::JobKey& job) const {
  return workloads_of_.With([&](const auto& index) {
    const auto found = index.find(job);
    return found == index.end() ? std::set<ObjectKey>() : found->second.slices();
  });
}

std::vector<ObjectKey> OwnerIndex::SiblingsOf(const tracking::Workload& workload) const {
  return workloads_of_.With([&](const auto& index) {
    const auto found = index.find(OwnerOf(workload.key, workload));
    return found == index.end() ? std::vector<ObjectKey>() : found->second.SiblingsOf(workload);
  });
}

std::vector<ObjectKey> OwnerIndex::WokenByWorkload(const ObjectKey& key,
                                                   const tracking::Workload* before,
                                                   const tracking::Workload* after) const {
  std::vector<ObjectKey> keys = {key};
  if (!placement::ConcernsOthers(before, after)) return keys;
  std::set<ObjectKey> others = SlicesOf(OwnerOf(key, after != nullptr ? *after : *before));
  if (after == nullptr && !before->slice->replaces.empty())
    others.insert({key.ns, before->slice->replaces});
  others.erase(key);
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

std::vector<ObjectKey> OwnerIndex::WokenByJob(const tracking::JobKey& job,
                                              const tracking::Job* before,
                                              const tracking::Job* after) const {
  std::vector<ObjectKey> keys = WokenByCopy(job);
  const bool progress =
      before != nullptr && after != nullptr && tracking::IsProgress(*before, *after);
  if (progress && keys.size() > 1) keys.resize(1);
  return keys;
}

std::vector<ObjectKey> OwnerIndex::WokenByCopy(const tracking::JobKey& job) const {
  const auto first = WorkloadOf(job);
  if (!first) return {};
  std::vector<ObjectKey> keys = {*first};
  for (const ObjectKey& slice : SlicesOf(job))
    if (slice != *first) keys.push_back(slice);
  return keys;
}

}  // namespace fedra::reconcile
