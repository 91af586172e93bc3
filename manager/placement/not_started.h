#pragma once
//
// Internal to placement/: a job that its worker has admitted, and that nothing there has taken up.
// No API says whether an operator runs, or which kinds a Kueue looks after; that nothing happens
// does. Pure.

#include <chrono>

#include "manager/placement/action.h"
#include "manager/placement/context.h"

namespace fedra::placement {

// From the clone's admission on. Kueue starts a job and its operator writes a status within
// seconds; an operator that is being replaced is away for half a minute.
inline constexpr std::chrono::minutes kStartPatience{2};

// Says so in the decision, and once in the history; before that time has come, wakes the workload
// then. The worker has the job's clone, admitted, and its copy. The job stays: what is missing is
// the administrator's to bring back, and another worker may miss it, too.
void TellIfNotStarted(const Context& context, const ClusterView& worker, Decision& decision);

}  // namespace fedra::placement
