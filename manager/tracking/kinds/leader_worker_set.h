#pragma once
//
// The pods of a LeaderWorkerSet (leaderworkerset.x-k8s.io/v1): of one of its replicas, a leader and
// its workers, for Kueue makes a Workload of each. Internal to tracking/kinds/. Pure.
//
// Source: podSets() in pkg/controller/jobs/leaderworkerset/leaderworkerset_reconciler.go of Kueue
// 0.19.2.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/pod_set.h"

namespace fedra::tracking {

// They point into `object`.
std::vector<PodTemplate> LeaderWorkerSetPods(const nlohmann::json& object);

}  // namespace fedra::tracking
