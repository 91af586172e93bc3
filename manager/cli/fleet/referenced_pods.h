#pragma once
//
// The pods of a job that another object describes (a TrainJob its runtime), for `check`: as the
// manager's object says, of which its Kueue will make the Workload; where that is not known, as the
// first worker's that has one.
//
// Thread rules: pure, given clusters that do not change.

#include "manager/cli/fleet/fleet.h"
#include "manager/tracking/kinds/submitted.h"

namespace fedra::cli {

// The same job when nothing describes its pods. A snapshot holds no such objects.
tracking::SubmittedJob WithReferencedPods(const tracking::SubmittedJob& job, const Fleet& fleet);

}  // namespace fedra::cli
