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

 private:
  const CopySource& source_;
  const Gathered& gathered_;
  const placement::WorkloadView& view_;
  std::map<ObjectKey, WorkloadPtr> clones_;
};

bool IsSlice(const tracking::Workload* workload) {
  return workload != nullptr && workload->slice != nullptr;
}

// Whether the workload is a slice, and the copy names it or another one of its chain: that of an
// elastic job may name the slice before the one that has it last.
bool IsOfItsChain(Look& look, const tracking::Job& copy, const tracking::Workload* workload) {
  return IsSlice(workload) &&
         placement::IsCopyOfChain(*workload, copy,
                                  look.Clone({copy.key.ns, copy.prebuilt_workload}).get());
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

// The clone by which the job of this slice has its quota there: the one that its copy names, or,
// where that was replaced since, the one that has. Without a copy (null) that of the slice before.
// Null: none is there.
WorkloadPtr FindClone(Look& look, const placement::Slices& slices, const tracking::Workload& slice,
                      const tracking::Job* copy) {
  const std::string& name = copy == nullptr ? slice.slice->replaces : copy->prebuilt_workload;
  WorkloadPtr named = look.Clone({slice.key.ns, name});
  if (named == nullptr || !placement::WasReplaced(*named)) return named;
  for (const WorkloadPtr& each : slices) {
    const WorkloadPtr& clone = look.Clone(each->key);
    if (IsSlice(clone.get()) && clone->slice->chain == slice.slice->chain && clone->Admitted() &&
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

// Whether the slice waits for its first quota, and the copy is of one that is known: that one sees
// to its end.
bool IsOfAnother(const tracking::Workload* slice, const tracking::Job& copy,
                 const placement::Slices& slices) {
  if (slice == nullptr || !placement::HasNoPlaceYet(*slice)) return false;
  return std::ranges::any_of(slices, [&](const WorkloadPtr& other) {
    return other->key.name == copy.prebuilt_workload && other->key != slice->key &&
           other->owner.uid == slice->owner.uid;
  });
}

// Whether the copy names a slice that came after this one: the job has run by that one since.
bool NamesLater(const placement::Slices& slices, const tracking::Workload& slice,
                const tracking::Job& copy) {
  std::string name = copy.prebuilt_workload;
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto named =
        std::ranges::find_if(slices, [&](const auto& each) { return each->key.name == name; });
    if (named == slices.end()) return false;
    name = (*named)->slice->replaces;
    if (name == slice.key.name) return true;
  }
  return false;
}

// The copy of an elastic job is of that Workload of it that may have it, whichever it names, and
// what is there of another one stays as long as the copy runs by it.
void GiveToSlice(Look& look, placement::ClusterView& cluster) {
  const ObjectKey& workload = look.view().key;
  const tracking::Workload* seen = look.view().workload.get();
  const tracking::Job* copy = cluster.job.get();
  if (copy == nullptr && seen != nullptr && placement::MayHaveCopy(*seen) &&
      seen->cluster_name == cluster.name.value)
    cluster.runs_by = FindClone(look, look.gathered().slices, *seen, nullptr);
  if (copy == nullptr || !copy->elastic || !tracking::IsOurs(cluster.job_is)) return;
  const placement::Slices slices =
      IsSlice(seen) ? look.gathered().slices : look.source().SlicesOf(KeyOf(*copy));
  const auto clone_of = [&](const tracking::Workload& slice) {
    return FindClone(look, slices, slice, copy);
  };
  const WorkloadPtr slice = placement::SliceWithCopy(slices);
  if (slice == nullptr && IsOfAnother(seen, *copy, slices))
    return LeaveToOther(workload, nullptr, cluster);
  // Its end may be seen before the next one's place is: that one sees to the copy, unless the job
  // has ended, and with it the next one. What was evicted had no place to give, and Kueue finishes
  // it in the same way (normalizeActiveSlices in pkg/workloadslicing of 0.19.2); unless the job
  // runs again since, by a later one.
  if (slice == nullptr && IsOfItsChain(look, *copy, seen) && placement::WasReplaced(*seen) &&
      !placement::EndsWithJob(look.view()) &&
      (!seen->Evicted() || NamesLater(slices, *seen, *copy)))
    return LeaveToOther(workload, clone_of(*seen).get(), cluster);
  // Evicted, it mirrors an end there, and takes the copy back, before another slice has it.
  const tracking::Workload* holder = slice != nullptr ? slice.get() : seen;
  if (!IsSlice(holder) || holder->cluster_name != cluster.name.value ||
      !IsOfItsChain(look, *copy, holder))
    return;
  const WorkloadPtr runs_by = clone_of(*holder);
  if (holder->key != workload) return LeaveToOther(workload, runs_by.get(), cluster);
  cluster.job_is = Ownership::kOurs;
  if (runs_by != nullptr && runs_by->key != workload) cluster.runs_by = runs_by;
}

}  // namespace

void TakeSlices(placement::Slices slices, Gathered& gathered) {
  const WorkloadPtr& workload = gathered.view.workload;
  for (WorkloadPtr& slice : slices)
    if (slice->key == workload->key) slice = workload;
  const WorkloadPtr with_copy = placement::SliceWithCopy(slices);
  if (with_copy != nullptr && with_copy->key != workload->key &&
      with_copy->owner.uid == workload->owner.uid)
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
