#pragma once
//
// What a worker did to a job a short while ago, beside what it has: a verdict alone says that a
// worker that refuses the job could run it. Pure.

#include <vector>

#include "manager/placement/setback.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// The verdicts of a job that looks for a worker, InLine with the job that goes first, as far as it
// is known, and with RecentlyFailed where a worker refused it, did
// not admit it in time or evicted it: No as long as it is not asked again, else beside the verdict.
// Of a job in another state the verdicts are as they were when it was dispatched.
std::vector<store::VerdictRow> VerdictsNow(const WorkloadData::Incarnation& incarnation,
                                           WallTime now);

}  // namespace fedra::report
