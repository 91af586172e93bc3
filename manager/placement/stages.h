#pragma once
//
// Internal to placement/: the stages of a workload's life, one function each. Decide() chooses the
// stage.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// How soon it is looked again while a worker is settling.
inline constexpr std::chrono::seconds kSettlingLook{10};

// What every stage looks at. Lives for one Decide() call.
struct Context {
  const WorkloadView& view;
  std::span<const ClusterView> clusters;
  const PlacementRecord& record;
  const Policy& policy;
  WallTime now;

  const tracking::Workload& workload() const { return *view.workload; }
  // UID of the manager's Workload; empty when it is gone.
  std::string_view uid() const {
    return view.workload == nullptr ? std::string_view() : view.workload->uid;
  }
  // Null when no cluster of this name is configured.
  const ClusterView* Find(std::string_view name) const;
};

// The workload is gone, going, or no longer ours: leave nothing behind.
void DecideGone(const Context& context, Decision& decision);
// The manager says it is finished: the last status first, then clean up.
void DecideFinished(const Context& context, Decision& decision);
// Kueue does not ask us about it (any more).
void DecideUnchecked(const Context& context, Decision& decision);
// No quota on the manager, or evicted there: take everything back.
void DecideWithoutQuota(const Context& context, Decision& decision);
// Quota is reserved and our check is Pending: find a worker.
void DecidePending(const Context& context, const tracking::AdmissionCheckState& check,
                   Decision& decision);
// Our check is Ready: a worker has it.
void DecideReady(const Context& context, Decision& decision);

bool Contains(const std::vector<ClusterName>& names, const ClusterName& name);
// Whether the clone, or the job, that the cluster shows is of this incarnation of the workload.
bool HasOwnClone(const Context& context, const ClusterView& cluster);
bool HasOwnJob(const Context& context, const ClusterView& cluster);
// The worker whose finished job the manager's job does not show yet: the one in clusterName;
// without one, a nominated one, whose job ended before it got there. What was taken back from a
// worker, and ended there all the same, does not count: it may have been changed since. An end that
// was seen is one, whatever the contact now. Null: none.
const ClusterView* UnmirroredEnd(const Context& context);
// Shows it on the manager, which ends the workload.
void TellEnd(const ClusterView& cluster, Decision& decision);
// Whether the worker's Kueue finished the clone because the job there ended.
bool EndedAsItsJob(const tracking::Condition& finished);
// `refused`: it would do the same again at once, and is left alone for a while.
void RememberFailure(const Context& context, const ClusterView& cluster, dra::ReasonCode reason,
                     std::string message, Decision& decision, bool refused = false);
// The earlier of the two: `time`, and what is there already.
void WakeBy(WallTime time, std::optional<WallTime>& wake_at);

// Why this job can never be dispatched as it is; empty when it can.
std::string NotDispatchable(const WorkloadView& view);
// Whether it has been out of reach, or could not be listed, for longer than the policy waits.
bool IsLost(const Context& context, const ClusterView& cluster);
// Whether nothing can be deleted there now: what is ours is remembered, for when it is back.
bool IsOutOfReach(const Context& context, const ClusterView& cluster);
// Deletes our objects on every cluster but `keep` (null: none): at once where it is in reach;
// where not, remembers to. True when nothing had to be done on any cluster with contact.
bool CleanUp(const Context& context, const ClusterView* keep, std::string_view outcome,
             Decision& decision);

}  // namespace fedra::placement
