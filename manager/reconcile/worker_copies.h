#pragma once
//
// The copies on a worker: which jobs are there of which workload, and how many clones of each
// manager. Part of Worker, whose caches tell it of every clone and job.
//
// Thread rules: any thread; of one object one thread at a time. The listener is called by the
// thread that tells, outside of every lock.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/types.h"
#include "manager/tracking/job.h"
#include "manager/tracking/ownership.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

// As in WorkerListener.
struct WorkerCopiesListener {
  std::function<void(const ObjectKey& workload)> on_workload;
  std::function<void(const tracking::JobKey& job)> on_job;
  std::function<void(const ObjectKey& workload)> on_progress;
};

struct CloneCount {
  int all = 0;
  int waiting = 0;  // not admitted yet
  int ended = 0;    // finished, and still there

  bool operator==(const CloneCount&) const = default;
};

class WorkerCopies final {
 public:
  explicit WorkerCopies(WorkerCopiesListener listener);

  // The jobs here that name this workload as their clone: of a group its members, else one as a
  // rule.
  std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const;
  // All that are named so.
  std::vector<ObjectKey> NamedWorkloads() const;
  // `us`: complete (ManagerIdentity).
  CloneCount ClonesOf(const tracking::Identity& us) const;

  // One has come (`before` is null), changed, or gone (`after` is null).
  void OnClone(const ObjectKey& key, const tracking::Workload* before,
               const tracking::Workload* after);
  void OnJob(const tracking::JobKey& key, const tracking::Job* before, const tracking::Job* after);

 private:
  // The job of this name is not, or no longer, `job`: its workload has none here, and hears of it.
  void ForgetJob(const tracking::JobKey& key, const tracking::Job& job);

  // Constant after construction.
  const WorkerCopiesListener listener_;

  // By who made them: which are ours is not known before the manager's UID has been read.
  Guarded<std::map<tracking::CopyMarks, CloneCount>> clone_counts_;
  // Clone -> remote jobs; none is empty.
  Guarded<std::unordered_map<ObjectKey, std::set<tracking::JobKey>>> jobs_of_;
};

}  // namespace fedra::reconcile
