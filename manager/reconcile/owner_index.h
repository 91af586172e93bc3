#pragma once
//
// Which of the manager's Workloads are of which job, and so which of them a change concerns. Part
// of ManagerJobs, whose cache of Workloads tells it of every one.
//
// Thread rules: any thread; of one Workload one thread at a time.

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"

namespace fedra::reconcile {

class OwnerIndex final {
 public:
  // One has come (`before` is null), changed, or gone (`after` is null).
  void Note(const ObjectKey& key, const tracking::Workload* before,
            const tracking::Workload* after);

  // The one that stands for the job: living ones count for more, of these the first part, else the
  // youngest. Nothing: none is of it.
  std::optional<ObjectKey> WorkloadOf(const tracking::JobKey& job) const;
  // Those of an elastic job, and of others of its name.
  std::set<ObjectKey> SlicesOf(const tracking::JobKey& job) const;
  // As of ManagerJobs::SiblingsOf(), of whatever job of this name.
  std::vector<ObjectKey> SiblingsOf(const tracking::Workload& workload) const;

  // Who looks again, the one that the change is about first. Each slice of an elastic job decides
  // by what all of them are (placement::SeesToCopy), so all look where one of them stands elsewhere
  // now, where the job is another one on the manager, but for how its pods get on, and where its
  // copy on a worker has changed. When one goes, so does the one that it has replaced, also if that
  // went before: the copy may name it, and was left to this one.
  std::vector<ObjectKey> WokenByWorkload(const ObjectKey& key, const tracking::Workload* before,
                                         const tracking::Workload* after) const;
  std::vector<ObjectKey> WokenByJob(const tracking::JobKey& job, const tracking::Job* before,
                                    const tracking::Job* after) const;
  std::vector<ObjectKey> WokenByCopy(const tracking::JobKey& job) const;

 private:
  // When a job is replaced, the Workloads of the old one and of the new one are there together for
  // a while.
  class OfJob final {
   public:
    void Put(const tracking::Workload& workload);
    void Erase(const ObjectKey& workload);
    bool empty() const { return worth_.empty(); }
    // Not when empty.
    const ObjectKey& worthiest() const { return std::get<ObjectKey>(*order_.rbegin()); }
    const std::set<ObjectKey>& slices() const { return slices_; }
    std::vector<ObjectKey> SiblingsOf(const tracking::Workload& workload) const;

   private:
    using Worth = std::tuple<bool, bool, WallTime, ObjectKey>;
    std::map<ObjectKey, Worth> worth_;
    std::set<Worth> order_;
    std::set<ObjectKey> firsts_, followers_;  // the parts (Workload::is_part)
    std::set<ObjectKey> slices_;
  };
  Guarded<std::unordered_map<tracking::JobKey, OfJob>> workloads_of_;  // none is empty
};

}  // namespace fedra::reconcile
