#pragma once
//
// Internal to placement/: the stages of a workload, one function each. Decide() chooses the
// stage; README.md has the table of them. Pure.

#include <optional>
#include <string>

#include "manager/placement/action.h"
#include "manager/placement/context.h"

namespace fedra::placement {

// cleanup.cc: the stages in which it leaves its workers: it has ended, or Kueue takes it back.

// The workload is gone, going, or no longer ours: leave nothing behind.
void DecideGone(const Context& context, Decision& decision);
// The manager says it is finished: the last status first, then clean up.
void DecideFinished(const Context& context, Decision& decision);
// Kueue does not ask us about it, or not any more.
void DecideUnchecked(const Context& context, Decision& decision);
// No quota on the manager, or evicted there: take everything back.
void DecideWithoutQuota(const Context& context, Decision& decision);

// The check is Retry or Rejected: Kueue evicts it, or switches it off, in a moment.
void DecideGivenBack(const Context& context, const tracking::AdmissionCheckState& check,
                     Decision& decision);

// nominations.cc

// All stages of a workload whose copies are Kueue's (WorkloadView::kueue_copies).
void DecideNominations(const Context& context, Decision& decision);

// pending.cc

// What else must happen before a worker is looked for.
struct NotYet {
  WaitsFor waits_for = WaitsFor::kNothing;
  std::string why;  // "waiting for the admission check approval"
};
// Nothing: its place in line counts.
std::optional<NotYet> WhyNotYet(const WorkloadView& view);
// Quota is reserved and our check is Pending: find a worker.
void DecidePending(const Context& context, const tracking::AdmissionCheckState& check,
                   Decision& decision);

// ready.cc

// Our check is Ready: a worker has it.
void DecideReady(const Context& context, Decision& decision);

}  // namespace fedra::placement
