#pragma once
//
// Internal to placement/: the stages of a workload's life, one function each. Decide() chooses the
// stage.

#include <chrono>
#include <span>
#include <string>
#include <string_view>

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
