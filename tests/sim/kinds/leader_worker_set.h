#pragma once
//
// LeaderWorkerSet (leaderworkerset.x-k8s.io/v1): a Workload for each replica. Its pods are not
// made; its status says how many of these are admitted. Source: pkg/controller/jobs/leaderworkerset
// of Kueue 0.19.2.
//
// Thread rules: constants and pure functions.

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind LeaderWorkerSet();

}  // namespace fedra::sim
