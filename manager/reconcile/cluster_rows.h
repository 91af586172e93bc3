#pragma once
//
// The clusters' rows in the store: how each was when the daemon last looked, and since when a
// worker is lost.
//
// The beginning and the end of an outage are durable at once; everything else is written when it
// changes, at most once a second, and every few seconds, so that status can say how old it is.
//
// Thread rules: one thread. Lifetime: store and clock must outlive it.

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "manager/reconcile/manager_queues.h"
#include "manager/reconcile/shared_outages.h"
#include "manager/reconcile/worker.h"
#include "manager/reconcile/worker_set.h"
#include "manager/tracking/admission_check.h"
#include "manager/verify/capabilities.h"
#include "manager/verify/capacity.h"
#include "store/store.h"

namespace fedra::reconcile {

class ClusterRows final {
 public:
  ClusterRows(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Reads what the last run wrote, gives these workers the outages that it remembered, and forgets
  // the rows of all others. Once, before Record.
  Result<void> Load(std::vector<WorkerSettings>& workers);
  // The workers of the last run, without `others`; none, where the store does not tell. Before
  // Load, which forgets those that are gone.
  std::vector<ClusterName> Remembered(const std::set<ClusterName>& others) const;
  // `manager`: as of ManagerCluster::Row(). `queues`: the manager's; null: it cannot be used now.
  // `cordons`: of the workers. `left_out`: workers that the manager names and that are not used,
  // and why, for people; empty: none.
  void Record(store::ClusterRow manager, const ManagerQueues* queues, const WorkerList& workers,
              const tracking::Cordons& cordons = {}, const std::string& left_out = {});
  // Since when workers are lost, as of the last Record(). `left`: what another process has noted.
  // It stands of those that have not answered this one yet: what our store says of them may be old.
  Outages Lost(const Outages& left) const;
  // It is no longer a worker.
  void Remove(const ClusterName& worker);

 private:
  // Its queues, quota and devices, as of the last time they were counted.
  struct Counted {
    SteadyTime at{};
    std::string note;  // queues that are stopped
    verify::Capacity capacity;
    std::string json;  // the same; empty: not counted yet
  };
  // What a worker can, when it was looked at last.
  struct Described {
    SteadyTime at{};
    verify::WorkerCapabilities capabilities;
    std::string json;  // the same; empty: not looked at yet
  };

  // Once a second, and when there is no `json` yet; `at` becomes now.
  bool IsDue(const std::string& json, SteadyTime& at) const;
  static void Keep(verify::Capacity capacity, Counted& counted);
  const Counted& Count(const Worker& worker);
  const std::string& Describe(const Worker& worker, const kube::ServerInfo& server);
  store::ClusterRow RowOf(const Worker& worker, int position);
  void Record(store::ClusterRow row);

  store::Store& store_;
  const Clock& clock_;
  std::unordered_map<ClusterName, store::ClusterRow> written_;
  std::set<ClusterName> seen_;  // those of them that have answered this process
  std::unordered_map<ClusterName, Counted> counted_;
  std::unordered_map<ClusterName, Described> described_;
};

}  // namespace fedra::reconcile
