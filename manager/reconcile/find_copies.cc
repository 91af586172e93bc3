#include "manager/reconcile/find_copies.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "manager/placement/parts.h"
#include "manager/placement/slices.h"
#include "manager/tracking/job_members.h"
#include "manager/verify/copies_there.h"

namespace fedra::reconcile {
namespace {

using tracking::JobPtr;
using tracking::Ownership;

// Whether the workload is a slice, and the copy names it or another one of its chain: that of an
// elastic job may name the slice before the one that has it last.
bool IsOfItsChain(const Worker& worker, const tracking::Job& copy,
                  const tracking::Workload* workload) {
  if (workload == nullptr || workload->slice == nullptr) return false;
  const auto named = worker.objects().clones().Find({copy.key.ns, copy.prebuilt_workload});
  return placement::IsCopyOfChain(*workload, copy, named.get());
}

// A workload whose own job is over cleans up what names it. Another job of that name is its
// successor's: of a Workload that the same user has submitted since.
bool IsSuccessors(const Worker& worker, const JobPtr& remote, const Gathered& gathered) {
  const placement::WorkloadView& view = gathered.view;
  const bool over = view.job == nullptr || view.workload->deleting || view.workload->Finished();
  return over && remote != nullptr && !remote->prebuilt_workload.empty() &&
         remote->prebuilt_workload != view.key.name &&
         !IsOfItsChain(worker, *remote, view.workload.get());
}

JobPtr FindNamed(const Worker& worker, const Gathered& gathered, const tracking::JobAdapter& kind,
                 const ObjectKey& key) {
  JobPtr job = worker.objects().jobs(kind).Find(key);
  return IsSuccessors(worker, job, gathered) ? nullptr : job;
}

// Of the workload's kind, where that is known.
std::vector<JobPtr> ThatNameIt(const Worker& worker, const Gathered& gathered) {
  std::vector<JobPtr> jobs;
  for (const tracking::JobKey& each : worker.copies().JobsOf(gathered.view.key)) {
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

// Of those that name the workload the ones that are ours; what is not ours may name it, too, and
// says nothing by that. And of each member the object of its name: another's, which is in the way,
// or one that we have just written, which is in no index yet.
template <class Whose>
std::vector<verify::GroupObject> FindGroup(const Worker& worker, const Gathered& gathered,
                                           const std::vector<JobPtr>& that_name_it,
                                           const Whose& whose) {
  std::vector<verify::GroupObject> found;
  for (const JobPtr& job : that_name_it)
    if (tracking::IsOurs(whose(job.get()))) found.push_back({job, whose(job.get())});
  for (const JobPtr& local : tracking::MissingOf(gathered.view.job, nullptr))
    if (JobPtr job = FindNamed(worker, gathered, *local->kind, local->key))
      found.push_back({job, whose(job.get())});
  return found;
}

// The clone by which the job of this slice has its quota there: the one that its copy names, or,
// where that was replaced since, the one that has. Without a copy (null) that of the slice before.
// The clone of `workload` is `own`, as it was read before: the worker goes on meanwhile, and what
// is decided is to hold for one moment. Null: none is there.
std::shared_ptr<const tracking::Workload> FindClone(
    const Worker& worker, const ManagerJobs& jobs, const tracking::Workload& slice,
    const tracking::Job* copy, const ObjectKey& workload,
    const std::shared_ptr<const tracking::Workload>& own) {
  const auto find = [&](const ObjectKey& key) {
    return key == workload ? own : worker.objects().clones().Find(key);
  };
  const std::string& name = copy == nullptr ? slice.slice->replaces : copy->prebuilt_workload;
  auto named = find({slice.key.ns, name});
  if (named == nullptr || !placement::WasReplaced(*named)) return named;
  for (const ObjectKey& key :
       jobs.WorkloadsOf({slice.requirement.kind, {slice.key.ns, slice.owner.name}})) {
    auto clone = find(key);
    if (clone != nullptr && clone->slice != nullptr && clone->slice->chain == slice.slice->chain &&
        clone->Admitted() && !clone->Finished())
      return clone;
  }
  return named;
}

// Another slice has the copy there, and with it the clone that it names, without which the worker's
// Kueue would stop it, and the one that has its quota (null: none is there).
void LeaveToOther(const ObjectKey& workload, const tracking::Workload* runs_by,
                  placement::ClusterView& cluster) {
  if (cluster.job->prebuilt_workload == workload.name ||
      (runs_by != nullptr && runs_by->key == workload)) {
    cluster.clone = nullptr;
    cluster.clone_is = Ownership::kForeign;
  }
  cluster.spares_job = true;
  cluster.job = nullptr;
  cluster.job_is = Ownership::kForeign;
}

// Whether the slice waits for its first quota, and the copy is of one that is known: that one sees
// to its end.
bool IsOfAnother(const tracking::Workload* slice, const tracking::Job& copy,
                 const ManagerJobs& jobs) {
  if (slice == nullptr || !placement::HasNoPlaceYet(*slice) ||
      copy.prebuilt_workload == slice->key.name)
    return false;
  const auto named = jobs.workloads().Find({copy.key.ns, copy.prebuilt_workload});
  return named != nullptr && named->owner.uid == slice->owner.uid;
}

// The copy of an elastic job is of that Workload of it that may have it, whichever it names, and
// what is there of another one stays as long as the copy runs by it.
void GiveToSlice(const Worker& worker, const Gathered& gathered, const ManagerJobs& jobs,
                 placement::ClusterView& cluster) {
  const ObjectKey& workload = gathered.view.key;
  const tracking::Workload* seen = gathered.view.workload.get();
  const tracking::Job* copy = cluster.job.get();
  const auto clone_of = [&](const tracking::Workload& slice) {
    return FindClone(worker, jobs, slice, copy, workload, cluster.clone);
  };
  if (copy == nullptr && seen != nullptr && placement::MayHaveCopy(*seen) &&
      seen->cluster_name == worker.name().value)
    cluster.runs_by = clone_of(*seen);
  if (copy == nullptr || !copy->elastic || !tracking::IsOurs(cluster.job_is)) return;
  const auto slice = jobs.SliceWithCopy(KeyOf(*copy));
  if (slice == nullptr && IsOfAnother(seen, *copy, jobs))
    return LeaveToOther(workload, nullptr, cluster);
  // Kueue finishes the slice before it gives the next one its place: that one sees to the copy.
  if (slice == nullptr && IsOfItsChain(worker, *copy, seen) && placement::WasReplaced(*seen))
    return LeaveToOther(workload, clone_of(*seen).get(), cluster);
  // Evicted, it mirrors an end there, and takes the copy back, before another slice has it.
  const tracking::Workload* holder = slice != nullptr ? slice.get() : seen;
  if (holder == nullptr || holder->slice == nullptr || holder->cluster_name != worker.name().value)
    return;
  const auto named = worker.objects().clones().Find({copy->key.ns, copy->prebuilt_workload});
  if (!placement::IsCopyOfChain(*holder, *copy, named.get())) return;
  const auto runs_by = clone_of(*holder);
  if (holder->key != workload) return LeaveToOther(workload, runs_by.get(), cluster);
  cluster.job_is = Ownership::kOurs;
  if (runs_by != nullptr && runs_by->key != workload) cluster.runs_by = runs_by;
}

}  // namespace

void FindCopies(const Worker& worker, const Gathered& gathered, const tracking::Identity& us,
                const ManagerJobs& jobs, placement::ClusterView& cluster) {
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
  if (gathered.view.kueue_copies && gathered.adapter == nullptr) return;
  std::vector<JobPtr> that_name_it = ThatNameIt(worker, gathered);
  std::ranges::stable_partition(
      that_name_it, [&](const JobPtr& job) { return tracking::IsOurs(whose(job.get())); });
  if (IsGroup(gathered, that_name_it))
    return verify::JoinGroup(gathered.view.key, FindGroup(worker, gathered, that_name_it, whose),
                             cluster);
  cluster.job = FindSingle(worker, gathered, that_name_it);
  cluster.job_is = whose(cluster.job.get());
  if (!gathered.view.kueue_copies) GiveToSlice(worker, gathered, jobs, cluster);
  if (cluster.job == nullptr ||
      !placement::SparesCopy(gathered.view, worker.name(), cluster.job_is))
    return;
  cluster.spares_job = !workload->follows;
  cluster.job = nullptr;
  cluster.job_is = Ownership::kForeign;
}

}  // namespace fedra::reconcile
