#pragma once
//
// The rows of the lines in the store: where each waiting workload stands, for `fedra why` and
// `status`. Only what has changed is written, and not more often than once a second, however fast
// the lines move.
//
// Thread rules: one thread. Lifetime: store and clock must outlive it.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/placement/lines.h"
#include "manager/reconcile/manager_cluster.h"
#include "store/store.h"

namespace fedra::reconcile {

// One worker's line.
struct LineFacts {
  int length = 0;
  std::chrono::milliseconds head_waits{0};  // since its quota was reserved; 0: nobody stands there
};

class LineRows final {
 public:
  LineRows(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Reads what the last run wrote, so that it is replaced. Once, before Record.
  Result<void> Load();
  // Asks for the standings only when it is time to write.
  void Record(const std::function<std::vector<placement::Standing>()>& standings,
              const ManagerCluster& manager);

 private:
  store::Store& store_;
  const Clock& clock_;
  SteadyTime last_{};
  std::map<std::string, std::vector<store::PlaceRow>> written_;  // by uid
};

// Of every worker for whose devices workloads wait.
std::map<ClusterName, LineFacts> FactsOf(const std::vector<placement::Standing>& standings,
                                         WallTime now);

}  // namespace fedra::reconcile
