#include "manager/reconcile/worker_copies.h"

#include <string_view>
#include <utility>

#include "manager/reconcile/sets_by_key.h"

namespace fedra::reconcile {
namespace {

// In the place of a Workload's UID, where only who made its clone matters.
constexpr std::string_view kAnyWorkload = "any";

void AddTo(std::map<tracking::CopyMarks, CloneCount>& counts, const tracking::Workload* clone,
           int change) {
  if (clone == nullptr) return;
  tracking::CopyMarks maker = clone->marks;
  if (!maker.source_uid.empty()) maker.source_uid = kAnyWorkload;
  const auto [at, is_new] = counts.try_emplace(std::move(maker));
  at->second.all += change;
  if (!clone->Admitted() && !clone->Finished()) at->second.waiting += change;
  if (clone->Finished()) at->second.ended += change;
  if (at->second.all == 0) counts.erase(at);
}

}  // namespace

WorkerCopies::WorkerCopies(WorkerCopiesListener listener) : listener_(std::move(listener)) {}

void WorkerCopies::OnClone(const ObjectKey& key, const tracking::Workload* before,
                           const tracking::Workload* after) {
  clone_counts_.With([&](auto& counts) {
    AddTo(counts, after, 1);
    AddTo(counts, before, -1);
  });
  listener_.on_workload(key);
}

void WorkerCopies::OnJob(const tracking::JobKey& key, const tracking::Job* before,
                         const tracking::Job* after) {
  const tracking::Job& job = after != nullptr ? *after : *before;
  const bool progress =
      before != nullptr && after != nullptr && tracking::IsProgress(*before, *after);
  if (!progress) listener_.on_job(key);
  // A list may show, in the place of a job, one of another workload.
  if (before != nullptr && before->prebuilt_workload != job.prebuilt_workload)
    ForgetJob(key, *before);
  if (job.prebuilt_workload.empty()) return;
  if (after == nullptr) return ForgetJob(key, *before);
  const ObjectKey workload{key.key.ns, after->prebuilt_workload};
  jobs_of_.With([&](auto& index) { index[workload].insert(key); });
  progress ? listener_.on_progress(workload) : listener_.on_workload(workload);
}

void WorkerCopies::ForgetJob(const tracking::JobKey& key, const tracking::Job& job) {
  if (job.prebuilt_workload.empty()) return;
  const ObjectKey workload{key.key.ns, job.prebuilt_workload};
  jobs_of_.With([&](auto& index) { EraseFrom(index, workload, key); });
  listener_.on_workload(workload);
}

CloneCount WorkerCopies::ClonesOf(const tracking::Identity& us) const {
  return clone_counts_.With([&](const auto& counts) {
    CloneCount ours;
    for (const auto& [maker, count] : counts) {
      if (!tracking::IsOurs(tracking::OwnershipOf(maker, us, {}))) continue;
      ours.all += count.all;
      ours.waiting += count.waiting;
      ours.ended += count.ended;
    }
    return ours;
  });
}

std::vector<ObjectKey> WorkerCopies::NamedWorkloads() const {
  return jobs_of_.With([](const auto& index) {
    std::vector<ObjectKey> workloads;
    for (const auto& [workload, jobs] : index) workloads.push_back(workload);
    return workloads;
  });
}

std::set<tracking::JobKey> WorkerCopies::JobsOf(const ObjectKey& workload) const {
  return jobs_of_.With([&](const auto& index) {
    const auto found = index.find(workload);
    return found == index.end() ? std::set<tracking::JobKey>() : found->second;
  });
}

}  // namespace fedra::reconcile
