#include "manager/reconcile/find_copies.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
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
using WorkloadPtr = std::shared_ptr<const tracking::Workload>;

// One look at one worker, which reads each clone once.
class Look final {
 public:
  Look(const CopySource& source, const Gathered& gathered)
      : source_(source), gathered_(gathered), view_(gathered.view) {}

  const CopySource& source() const { return source_; }
  const Gathered& gathered() const { return gathered_; }
  const placement::WorkloadView& view() const { return view_; }
  // Null: none is there.
  const WorkloadPtr& Clone(const ObjectKey& key) {
    const auto [known, is_new] = clones_.try_emplace(key);
    if (is_new) known->second = source_.Clone(key);
    return known->second;
  }
  // Empty: it is not known.
  std::string ChainOf(const tracking::Job& copy, const placement::Slices& slices) {
    return placement::ChainOf(copy, slices, Clone({copy.key.ns, copy.prebuilt_workload}).get());
  }

 private:
  const CopySource& source_;
  const Gathered& gathered_;
  const placement::WorkloadView& view_;
  std::map<ObjectKey, WorkloadPtr> clones_;
};

bool IsSlice(const tracking::Workload* workload) {
  return workload != nullptr && workload->slice != nullptr;
}

// Whether the workload is a slice, and the copy of its chain.
bool IsOfItsChain(Look& look, const tracking::Job& copy, const tracking::Workload* workload) {
  return IsSlice(workload) && look.ChainOf(copy, look.gathered().slices) == workload->slice->chain;
}

// Whether the copy is of an elastic job of which the manager has nothing any more. It may name a
// slice that was gone before the last one, which had the copy.
bool IsOfNone(const Look& look, const tracking::Job& copy) {
  return look.view().workload == nullptr && copy.elastic &&
         look.source().SlicesOf(KeyOf(copy)).empty();
}

// A workload whose own job is over cleans up what names it. Another job of that name is its
// successor's: of a Workload that the same user has submitted since.
bool IsSuccessors(Look& look, const JobPtr& remote) {
  const placement::WorkloadView& view = look.view();
  const bool over = view.job == nullptr || view.workload->deleting || view.workload->Finished();
  return over && remote != nullptr && !remote->prebuilt_workload.empty() &&
         remote->prebuilt_workload != view.key.name &&
         !IsOfItsChain(look, *remote, view.workload.get()) && !IsOfNone(look, *remote);
}

JobPtr FindNamed(Look& look, const tracking::JobAdapter& kind, const ObjectKey& key) {
  JobPtr job = look.source().Job(kind, key);
  return IsSuccessors(look, job) ? nullptr : job;
}

// Of the workload's kind, where that is known.
std::vector<JobPtr> ThatNameIt(const Look& look) {
  const tracking::JobAdapter* adapter = look.gathered().adapter;
  std::vector<JobPtr> jobs;
  for (const tracking::JobKey& each : look.source().JobsOf(look.view().key)) {
    const tracking::JobAdapter* kind = look.source().kinds().FindName(each.kind);
    if (adapter != nullptr && adapter != kind) continue;
    if (JobPtr job = look.source().Job(*kind, each.key)) jobs.push_back(std::move(job));
  }
  return jobs;
}

// By its name, and else by the workload that it names.
JobPtr FindSingle(Look& look, const std::vector<JobPtr>& that_name_it) {
  const Gathered& gathered = look.gathered();
  for (const tracking::JobAdapter* kind : look.source().kinds().all()) {
    if (gathered.job.name.empty() || (gathered.adapter != nullptr && gathered.adapter != kind))
      continue;
    if (JobPtr job = FindNamed(look, *kind, gathered.job)) return job;
  }
  return that_name_it.empty() ? nullptr : that_name_it.front();
}

// Once the Workload is gone its copies say whether it was of a group.
bool IsGroup(const placement::WorkloadView& view, const std::vector<JobPtr>& that_name_it) {
  if (view.workload != nullptr) return view.workload->is_pod_group;
  return std::ranges::any_of(that_name_it, [&](const JobPtr& job) {
    return job->member != nullptr && job->member->group == view.key.name;
  });
}

// Of those that name the workload the ones that are ours; what is not ours may name it, too, and
// says nothing by that. And of each member the object of its name: another's, which is in the way,
// or one that we have just written, which is in no index yet.
template <class Whose>
std::vector<verify::GroupObject> FindGroup(Look& look, const std::vector<JobPtr>& that_name_it,
                                           const Whose& whose) {
  std::vector<verify::GroupObject> found;
  for (const JobPtr& job : that_name_it)
    if (tracking::IsOurs(whose(job.get()))) found.push_back({job, whose(job.get())});
  for (const JobPtr& local : tracking::MissingOf(look.view().job, nullptr))
    if (JobPtr job = FindNamed(look, *local->kind, local->key))
      found.push_back({job, whose(job.get())});
  return found;
}

// The clone by which the job has its quota there: the one of this name or, where that was replaced
// since, the one that has. Null: none is there.
WorkloadPtr FindClone(Look& look, const placement::Slices& slices, const ObjectKey& name) {
  WorkloadPtr named = look.Clone(name);
  if (!IsSlice(named.get()) || !placement::WasReplaced(*named)) return named;
  for (const WorkloadPtr& each : slices) {
    const WorkloadPtr& clone = look.Clone(each->key);
    if (IsSlice(clone.get()) && clone->slice->chain == named->slice->chain && clone->Admitted() &&
        !clone->Finished())
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

// The Workloads of the copy's job on the manager.
placement::Slices SlicesOf(Look& look, const tracking::Job& copy) {
  placement::Slices slices = IsSlice(look.view().workload.get())
                                 ? look.gathered().slices
                                 : look.source().SlicesOf(KeyOf(copy));
  const std::string chain = look.ChainOf(copy, slices);
  std::erase_if(slices, [&](const WorkloadPtr& each) { return each->slice->chain != chain; });
  return slices;
}

// The copy of an elastic job is of that Workload of it that sees to it, whichever it names, and
// what is there of another one stays as long as the copy runs by it.
void GiveToSlice(Look& look, placement::ClusterView& cluster) {
  const ObjectKey& workload = look.view().key;
  const tracking::Workload* seen = look.view().workload.get();
  const tracking::Job* copy = cluster.job.get();
  if (copy == nullptr && seen != nullptr && placement::MayHaveCopy(*seen) &&
      seen->cluster_name == cluster.name.value)
    cluster.runs_by = FindClone(look, look.gathered().slices, {workload.ns, seen->slice->replaces});
  if (copy == nullptr || !copy->elastic || !tracking::IsOurs(cluster.job_is)) return;
  if (seen != nullptr && !IsOfItsChain(look, *copy, seen)) return;
  const placement::Slices slices = SlicesOf(look, *copy);
  if (slices.empty()) return;
  const WorkloadPtr sees_to_it = placement::SeesToCopy(slices, cluster.name);
  WorkloadPtr runs_by = FindClone(look, slices, {workload.ns, copy->prebuilt_workload});
  if (sees_to_it == nullptr || sees_to_it->key != workload)
    return LeaveToOther(workload, runs_by.get(), cluster);
  cluster.job_is = Ownership::kOurs;
  if (runs_by != nullptr && runs_by->key != workload) cluster.runs_by = std::move(runs_by);
}

}  // namespace

void TakeSlices(placement::Slices slices, Gathered& gathered) {
  const WorkloadPtr& workload = gathered.view.workload;
  std::erase_if(slices, [&](const WorkloadPtr& slice) {
    return slice->key == workload->key || slice->owner.uid != workload->owner.uid;
  });
  slices.push_back(workload);
  const WorkloadPtr with_copy = placement::SliceWithCopy(slices);
  if (with_copy != nullptr && with_copy != workload)
    gathered.view.other_slice = with_copy->key.name;
  gathered.slices = std::move(slices);
}

void FindCopies(const CopySource& source, const Gathered& gathered, const tracking::Identity& us,
                placement::ClusterView& cluster) {
  const placement::WorkloadView& view = gathered.view;
  const tracking::Workload* workload = view.workload.get();
  const auto whose = [&](const auto* copy) {
    if (copy == nullptr) return Ownership::kForeign;
    return tracking::OwnershipOf(copy->marks, us, workload == nullptr ? "" : workload->uid,
                                 workload == nullptr ? "" : workload->key.name);
  };
  Look look(source, gathered);
  cluster.name = source.worker();
  cluster.clone = look.Clone(view.key);
  cluster.clone_is = whose(cluster.clone.get());
  // Of a kind that we do not read: another job may have its name.
  if (view.kueue_copies && gathered.adapter == nullptr) return;
  std::vector<JobPtr> that_name_it = ThatNameIt(look);
  std::ranges::stable_partition(
      that_name_it, [&](const JobPtr& job) { return tracking::IsOurs(whose(job.get())); });
  if (IsGroup(view, that_name_it))
    return verify::JoinGroup(view.key, FindGroup(look, that_name_it, whose), cluster);
  cluster.job = FindSingle(look, that_name_it);
  cluster.job_is = whose(cluster.job.get());
  if (!view.kueue_copies) GiveToSlice(look, cluster);
  if (cluster.job == nullptr || !placement::SparesCopy(view, cluster.name, cluster.job_is)) return;
  cluster.spares_job = !workload->follows;
  cluster.job = nullptr;
  cluster.job_is = Ownership::kForeign;
}

}  // namespace fedra::reconcile
