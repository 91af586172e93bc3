#pragma once
//
// Internal to placement/: the stages of a workload whose copies are Kueue's (kueue.mode dispatcher)
// in which Kueue has decided: it has ended, has no quota any more, or is on a worker. Fedra writes
// nothing then: it ends its rounds, remembers who failed, and notes what there is to know. Pure:
// each adds to the Decision it is given.

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/tracking/workload.h"

namespace fedra::placement {

// The workload is finished.
void DecideOver(const Context& context, Decision& decision);
// It is evicted, or has no quota.
void DecideTakenBack(const Context& context, Decision& decision);
// The check is Retry: Kueue evicts the workload in a moment.
void DecideRetry(const Context& context, const tracking::AdmissionCheckState& check,
                 Decision& decision);
void DecideRejected(const Context& context, const tracking::AdmissionCheckState& check,
                    Decision& decision);
// The check is Ready: the worker of clusterName has it.
void DecidePlaced(const Context& context, const tracking::AdmissionCheckState& check,
                  Decision& decision);

}  // namespace fedra::placement
