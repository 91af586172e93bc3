#include "manager/reconcile/find_copies.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "manager/tracking/job_members.h"

namespace fedra::reconcile {
namespace {

using tracking::JobPtr;
using tracking::Ownership;

// A workload whose own job is over cleans up what names it. Another job of that name is its
// successor's: of a Workload that the same user has submitted since.
bool IsSuccessors(const JobPtr& remote, const Gathered& gathered) {
  const placement::WorkloadView& view = gathered.view;
  const bool over = view.job == nullptr || view.workload->deleting || view.workload->Finished();
  return over && remote != nullptr && !remote->prebuilt_workload.empty() &&
         remote->prebuilt_workload != view.key.name;
}

JobPtr FindNamed(const Worker& worker, const Gathered& gathered, const tracking::JobAdapter& kind,
                 const ObjectKey& key) {
  JobPtr job = worker.objects().jobs(kind).Find(key);
  return IsSuccessors(job, gathered) ? nullptr : job;
}

// Of the workload's kind, where that is known.
std::vector<JobPtr> ThatNameIt(const Worker& worker, const Gathered& gathered) {
  std::vector<JobPtr> jobs;
  for (const tracking::JobKey& each : worker.JobsOf(gathered.view.key)) {
    const tracking::JobAdapter* kind = worker.objects().kinds().FindName(each.kind);
    if (gathered.adapter != nullptr && gathered.adapter != kind) continue;
    if (JobPtr job = worker.objects().jobs(*kind).Find(each.key)) jobs.push_back(std::move(job));
  }
  return jobs;
}

// By its name, and else by the workload that it names.
JobPtr FindSingle(const Worker& worker, const Gathered& gathered,
                  const std::vector<JobPtr>& that_name_it) {
  for (const tracking::JobAdapter* kind : worker.objects().kinds().all()) {
    if (gathered.job.name.empty() || (gathered.adapter != nullptr && gathered.adapter != kind))
      continue;
    if (JobPtr job = FindNamed(worker, gathered, *kind, gathered.job)) return job;
  }
  return that_name_it.empty() ? nullptr : that_name_it.front();
}

// Once the Workload is gone its copies say whether it was of a group.
bool IsGroup(const Gathered& gathered, const std::vector<JobPtr>& that_name_it) {
  const tracking::Workload* workload = gathered.view.workload.get();
  if (workload != nullptr) return workload->is_pod_group;
  return std::ranges::any_of(that_name_it, [&](const JobPtr& job) {
    return job->member != nullptr && job->member->group == gathered.view.key.name;
  });
}

// Those that name the workload, and those that have the name of one of its objects that may run.
std::map<ObjectKey, JobPtr> GroupObjects(const Worker& worker, const Gathered& gathered,
                                         const std::vector<JobPtr>& that_name_it) {
  std::map<ObjectKey, JobPtr> objects;
  for (const JobPtr& job : that_name_it) objects.emplace(job->key, job);
  for (const JobPtr& local : tracking::MissingOf(gathered.view.job, nullptr)) {
    if (JobPtr job = FindNamed(worker, gathered, *local->kind, local->key))
      objects.emplace(local->key, std::move(job));
  }
  return objects;
}

// Ours are one job; those of this life come first, and give it their marks.
template <class Whose>
void JoinGroup(const std::map<ObjectKey, JobPtr>& objects, const Whose& whose,
               placement::ClusterView& cluster, const ObjectKey& workload) {
  std::vector<JobPtr> ours;
  for (const auto& [key, object] : objects) {
    const Ownership ownership = whose(object.get());
    if (!tracking::IsOurs(ownership)) {
      cluster.in_the_way = object;
      cluster.in_the_way_is = ownership;
      continue;
    }
    cluster.job_is = std::max(cluster.job_is, ownership);
    ours.insert(ownership == Ownership::kOurs ? ours.begin() : ours.end(), object);
  }
  cluster.job = tracking::JoinMembers(workload, std::move(ours));
}

}  // namespace

void FindCopies(const Worker& worker, const Gathered& gathered, const tracking::Identity& us,
                placement::ClusterView& cluster) {
  const tracking::Workload* workload = gathered.view.workload.get();
  const auto whose = [&](const auto* copy) {
    if (copy == nullptr) return Ownership::kForeign;
    return tracking::OwnershipOf(copy->marks, us, workload == nullptr ? "" : workload->uid,
                                 workload == nullptr ? "" : workload->key.name);
  };
  cluster.name = worker.name();
  cluster.clone = worker.objects().clones().Find(gathered.view.key);
  cluster.clone_is = whose(cluster.clone.get());
  // Of a kind that we do not read: another job may have its name.
  if (us.kueue_copies && gathered.adapter == nullptr) return;
  const std::vector<JobPtr> that_name_it = ThatNameIt(worker, gathered);
  if (IsGroup(gathered, that_name_it))
    return JoinGroup(GroupObjects(worker, gathered, that_name_it), whose, cluster,
                     gathered.view.key);
  cluster.job = FindSingle(worker, gathered, that_name_it);
  cluster.job_is = whose(cluster.job.get());
}

}  // namespace fedra::reconcile
