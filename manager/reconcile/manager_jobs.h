#pragma once
//
// The manager's Workloads and the jobs that own them: the caches, which kinds are read, and which
// Workload is of which job. Part of ManagerCluster, whose cluster feeds it.
//
// Thread rules: any thread. The listener is called by the pool's threads, outside of every lock.
// Lifetime: the clock must outlive it; what feeds the caches ends before it goes.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/watch/tracked_cache.h"
#include "manager/reconcile/owner_index.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/workload.h"
#include "manager/verify/existence.h"

namespace fedra::reconcile {

struct ManagerJobsListener {
  // As in ManagerListener.
  std::function<void(const std::vector<const tracking::JobAdapter*>& kinds)> on_kinds;
  std::function<void(const ObjectKey& workload)> on_workload;
  std::function<void(const ObjectKey& workload)> on_progress;
  std::function<void(const std::vector<ObjectKey>& workloads)> on_siblings;
  // Before on_workload, of the Workload itself: how it is now; null: it is gone.
  std::function<void(const ObjectKey& workload, const tracking::Workload* now)> on_object;
  // Before on_workload: its job asks for something else now.
  std::function<void(const ObjectKey& workload)> on_asks;
  std::function<void()> on_references;  // an object that jobs name has changed
};

class ManagerJobs final {
 public:
  ManagerJobs(tracking::JobKindsPtr kinds, const Clock& clock, ManagerJobsListener listener);

  watch::TrackedCache<tracking::Workload>& workloads() { return workloads_; }
  const watch::TrackedCache<tracking::Workload>& workloads() const { return workloads_; }
  // With what its job asks for and it does not show.
  std::shared_ptr<const tracking::Workload> Completed(
      std::shared_ptr<const tracking::Workload> workload) const;
  // The job that owns the Workload; null: it is not known, or another job has its name now, which
  // belongs to another Workload. Of a group of pods those that the Workload names as owners: Kueue
  // has taken these for members, and deletes others that are too many.
  std::shared_ptr<const tracking::Job> JobOf(const tracking::Workload& workload) const;
  // Of one of several Workloads of a job those that it has to do with: of the first all others, of
  // these the first, as far as they are there.
  std::vector<std::shared_ptr<const tracking::Workload>> SiblingsOf(
      const tracking::Workload& workload) const;
  // The Workloads of an elastic job, and of others of this name, living or not, each read once.
  std::vector<std::shared_ptr<const tracking::Workload>> SlicesOf(
      const tracking::JobKey& job) const;
  // The workload whose owner is this job, of several the first, or the object of this name as a
  // member of a group.
  std::optional<ObjectKey> WorkloadOf(const tracking::JobKey& job) const;
  // Whom a change of the job's copy on a worker wakes: that one, and the other slices.
  std::vector<ObjectKey> WokenByCopy(const tracking::JobKey& job) const;

  const tracking::JobKinds& kinds() const { return *kinds_; }
  // Those that are read: batch/v1 Job, and what the manager serves or has served since the start.
  std::vector<const tracking::JobAdapter*> KindsInUse() const;
  bool IsInUse(const tracking::JobAdapter& kind) const;
  watch::TrackedCache<tracking::Job>& Of(const tracking::JobAdapter& kind);
  // Other objects that jobs of the kind name.
  const verify::ReferenceIndex& references(const tracking::JobAdapter& kind) const;

  // What the server serves is read from now on. Null: it is not known.
  void NoteKinds(const kube::ServerInfo* server);
  // The workloads about which own writes were forgotten that no watch has shown in time.
  std::vector<ObjectKey> TakeOverdue();

 private:
  watch::TrackedCache<tracking::Job>::OnObject JobListener(const tracking::JobAdapter& kind);
  void MakeJobCaches(const Clock& clock);
  // What decides about the others of several Workloads of a job has changed: where this one has its
  // worker, or that their job is there.
  void TellSiblings(const tracking::Workload& part) const;
  void IndexMember(const ObjectKey& key, const tracking::Job* before, const tracking::Job* after);
  // The Workload of its group; nothing: it is of none, or there is no such Workload.
  std::optional<ObjectKey> GroupWorkloadOf(const tracking::Job& job) const;
  std::shared_ptr<const tracking::Job> GroupOf(const tracking::Workload& workload,
                                               const tracking::JobAdapter& adapter) const;

  // Constant after construction.
  const tracking::JobKindsPtr kinds_;
  const ManagerJobsListener listener_;

  OwnerIndex owners_;
  // The objects that say that they are of a group, by its name; none is empty.
  Guarded<std::unordered_map<ObjectKey, std::set<ObjectKey>>> members_of_;

  watch::TrackedCache<tracking::Workload> workloads_;
  struct JobsOfKind {
    std::unique_ptr<watch::TrackedCache<tracking::Job>> cache;
    std::unique_ptr<verify::ReferenceIndex> references;
    std::atomic<bool> used = false;
  };
  std::vector<JobsOfKind> jobs_;  // in the order of kinds_
};

}  // namespace fedra::reconcile
