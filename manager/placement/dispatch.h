#pragma once
//
// Internal to placement/: carries out a choice of workers by the protocol with Kueue: withdraws,
// nominates, copies, admits, writes the check and notes what is news. Chooses nothing itself. Pure:
// it adds to the Decision it is given.

#include <string>
#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/message.h"
#include "manager/placement/select_workers.h"
#include "manager/tracking/workload.h"

namespace fedra::placement {

// `nominated`: what is nominated now, and what the choice was made from.
void Dispatch(const Context& context, const tracking::AdmissionCheckState& check,
              const std::vector<ClusterName>& nominated, const Choice& choice, Decision& decision);

// The same questions and notes where only nominations are ours (nominations.cc).

// Whether what is chosen begins a new round: for a worker that is new, or is asked again.
bool BeginsRound(const Context& context, const std::vector<ClusterName>& nominated,
                 const Choice& choice);
// Tells of the workers that are new.
void NoteDispatched(const Context& context, const std::vector<ClusterName>& nominated,
                    const Choice& choice, Decision& decision);
// Tells that no worker is chosen, and why.
void NoteBlocked(const Context& context, const Message& message, Decision& decision);
// What a worker whose time has passed is remembered for.
std::string TooLate(const Context& context, const ClusterView& cluster);

// The worker's Kueue, or one of its users, ended the copy without running it: a refusal.
void RememberSpent(const Context& context, const ClusterView& cluster, Decision& decision);

// Records that the worker has the workload.
void AdmitOn(const Context& context, const ClusterView& winner, Decision& decision);

}  // namespace fedra::placement
