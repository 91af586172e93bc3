#pragma once
//
// The rows of the lines in the store: the place of each waiting workload, for `fedra why` and
// `status`. Only what has changed is written, and not more often than once a second, however fast
// the lines move. When the first of a long line leaves, all behind it move up by one: those that
// stand further back than kNear everywhere are written then only every kFarInterval, so that a line
// of thousands does not rewrite itself every second. Going through a long line takes long: never
// more than a twentieth of the thread's time. Of each workload there are only so many rows that all
// together are about kMostRows, those of the workers where it is nearest to its turn.
//
// Thread rules: one thread. Lifetime: store and clock must outlive it.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/placement/lines.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/manager_queues.h"
#include "store/store.h"

namespace fedra::reconcile {

class LineRows final {
 public:
  static constexpr int kNear = 100;
  static constexpr std::chrono::seconds kFarInterval{30};
  static constexpr size_t kMostRows = 100'000;

  // `order`: of ClusterQueues that do not say otherwise.
  LineRows(store::Store& store, const Clock& clock, placement::OrderPolicy order)
      : store_(store), clock_(clock), order_(order) {}

  // Reads what the last run wrote, so that it is replaced. Once, before Record.
  Result<void> Load();
  // Asks for the standings only when it is time to write.
  void Record(const std::function<std::vector<placement::Standing>()>& standings,
              const ManagerJobs& jobs, const ManagerQueues& queues);

 private:
  void WriteChanges(const std::vector<placement::Standing>& all, const ManagerJobs& jobs,
                    const ManagerQueues& queues, SteadyTime now);

  store::Store& store_;
  const Clock& clock_;
  const placement::OrderPolicy order_;
  SteadyTime next_{};
  SteadyTime last_far_{};
  std::map<std::string, std::vector<store::PlaceRow>> written_;  // by uid
};

// By worker: the workload that is first in each one's line; none for itself, and where
// it is not certain which of several lines that is. In the order of `standings`.
std::vector<std::map<ClusterName, ObjectKey>> FirstInLine(
    const std::vector<placement::Standing>& standings);

}  // namespace fedra::reconcile
