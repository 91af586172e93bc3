#pragma once
//
// What a dispatched workload will take of a worker until its pods hold it: an *assumption*, as
// kube-scheduler assumes a pod on its node from the decision on.
//
// It is derived from API objects alone, so a restarted fedra, or another replica, derives the same
// one. Pure.

#include <optional>
#include <string>
#include <vector>

#include "manager/placement/view.h"
#include "manager/tracking/pod_set.h"

namespace fedra::placement {

struct Assumption {
  ObjectKey workload;
  std::string uid;                  // of the Workload
  tracking::JobKey job;             // whose pods will hold the devices there
  std::vector<std::string> claims;  // named ResourceClaims that its pods share, in its namespace
  tracking::Demands demands;        // null: nothing is known of its pods
  // Since when the worker shows its clone, by the worker's clock; absent: it does not yet.
  std::optional<WallTime> since;
};

// For this worker; absent: the objects do not show that pods of the workload may come there. Of
// `cluster` only the name, the copies and whose they are count.
//
// Pods may come where the workload is nominated or has its worker, and where it has a clone or a
// job that stays; not of a workload that has ended, and not where its job has.
std::optional<Assumption> AssumptionOn(const WorkloadView& view, const ClusterView& cluster);

// Without looking at copies: whether the Workload itself names the worker.
bool IsDispatchedTo(const WorkloadView& view, const ClusterName& worker);

// What a decision needs reserved on a worker where the objects do not show it yet.
Assumption AssumptionOf(const WorkloadView& view);

}  // namespace fedra::placement
