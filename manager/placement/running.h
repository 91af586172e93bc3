#pragma once
//
// Internal to placement/: how a job's run on its worker ends, or is ended. Pure.

#include <string>

#include "base/types.h"
#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/note_reasons.h"

namespace fedra::placement {

// Gives the workload back to Kueue, which evicts it, queues it again, and brings it back here.
void TakeBack(const notes::NoteReason& note, const ClusterName& cluster, std::string message,
              Decision& decision);

// Whether the job has ended there. Then it is not run again.
bool HasEndedOn(const ClusterView& worker);

// False: the job runs on there. Else the decision says how it ends, or what is waited for to know:
// its worker is drained or out of reach, or its clone there is gone, finished or evicted.
bool EndsRun(const Context& context, const ClusterView& worker, Decision& decision);

}  // namespace fedra::placement
