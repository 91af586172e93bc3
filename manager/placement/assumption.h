#pragma once
//
// What a dispatched workload will take of a worker until its pods hold it, and of a queue there
// until Kueue counts it: an *assumption*, as kube-scheduler assumes a pod on its node from the
// decision on.
//
// It is derived from API objects alone, so a restarted fedra, or another replica, derives the same
// one. Pure.

#include <optional>
#include <string>
#include <vector>

#include "manager/placement/view.h"
#include "manager/tracking/pod_set.h"

namespace fedra::placement {

// Of the quota behind a LocalQueue of the worker.
struct QuotaAssumption {
  std::string queue;                    // in the workload's namespace
  tracking::Demands counted = nullptr;  // what Kueue counts; null: nothing, or it is not known
  // Since when the clone has it, by the worker's clock; absent: not yet, or not any more.
  std::optional<WallTime> reserved_at = std::nullopt;
  // The clone is known to be without: it is about to be made, or shows none. Otherwise one without
  // `reserved_at` is only not seen, and may have had its quota for long.
  bool is_without = false;
};

struct Assumption {
  ObjectKey workload;
  std::string uid;                  // of the Workload
  tracking::JobKey job;             // whose pods will hold the devices there
  std::vector<std::string> claims;  // named ResourceClaims that its pods share, in its namespace
  tracking::Demands demands;        // null: nothing is known of its pods
  // Since when the worker shows its clone, by the worker's clock; absent: it does not yet.
  std::optional<WallTime> since;
  // False: devices are not verified, or its pods do not come before the Kueue there has quota for
  // it: they are free for others meanwhile.
  bool takes_devices = true;
  QuotaAssumption quota = {};
};

// For this worker; absent: the objects do not show that pods of the workload may come there, or
// that it may get quota. Of `cluster` only the name, the copies and whose they are count.
//
// They may come where the workload is nominated or has its worker, and where it has a clone or a
// job that stays; not of a workload that has ended, and not where its job has.
std::optional<Assumption> AssumptionOn(const WorkloadView& view, const ClusterView& cluster);

// Without looking at copies: whether the Workload itself names the worker.
bool IsDispatchedTo(const WorkloadView& view, const ClusterName& worker);

// What a decision needs reserved on a worker where the objects do not show it yet.
Assumption AssumptionOf(const WorkloadView& view);

}  // namespace fedra::placement
