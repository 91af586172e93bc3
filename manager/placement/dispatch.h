#pragma once
//
// Internal to placement/: carries out a choice of workers by the protocol with Kueue: withdraws,
// nominates, copies, admits, writes the check and notes what is news. Chooses nothing itself. Pure:
// it adds to the Decision it is given.

#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/select_workers.h"
#include "manager/tracking/workload.h"

namespace fedra::placement {

// `nominated`: what is nominated now, and what the choice was made from.
void Dispatch(const Context& context, const tracking::AdmissionCheckState& check,
              const std::vector<ClusterName>& nominated, const Choice& choice, Decision& decision);

}  // namespace fedra::placement
