#include "manager/placement/decide.h"

#include <fmt/format.h>

#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/stages.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;

void Reject(const std::string& why, Decision& decision) {
  decision.phase = Phase::kBlocked;
  decision.why = why;
  decision.actions.emplace_back(SetCheck{CheckState::kRejected, why});
  decision.actions.emplace_back(Note{notes::kNotDispatchable.name, {}, why});
}

}  // namespace

std::string NotDispatchable(const WorkloadView& view) {
  const tracking::Owner& owner = view.workload->owner;
  if (!view.kind_supported)
    return fmt::format("no adapter for owner kind \"{}, Kind={}\"", owner.api_version, owner.kind);
  if (view.job != nullptr && view.job->managed_by != tracking::kManagedBy)
    return fmt::format(
        "the job is not managed by Kueue: expecting spec.managedBy to be \"{}\" not \"{}\"",
        tracking::kManagedBy, view.job->managed_by);
  return {};
}

std::string_view ToString(Phase phase) {
  switch (phase) {
    case Phase::kWaiting:
      return "Waiting";
    case Phase::kBlocked:
      return "Blocked";
    case Phase::kDispatching:
      return "Dispatching";
    case Phase::kRunning:
      return "Running";
    case Phase::kRequeued:
      return "Requeued";
    case Phase::kFinished:
      return "Finished";
    case Phase::kFailed:
      return "Failed";
    case Phase::kSuspended:
      return "Suspended";
    case Phase::kGone:
      break;
  }
  return "Deleted";
}

bool IsIndependent(const Action& action) {
  return std::holds_alternative<CreateClone>(action) ||
         std::holds_alternative<DeleteRemote>(action) ||
         std::holds_alternative<SetClonePriority>(action);
}

bool NeedsAllBefore(const Action& action) {
  return std::holds_alternative<CreateJob>(action) || std::holds_alternative<Admit>(action) ||
         std::holds_alternative<ClearPlacement>(action);
}

Decision Decide(const WorkloadView& view, std::span<const ClusterView> clusters,
                const PlacementRecord& record, const Policy& policy, WallTime now) {
  const Context context{view, clusters, record, policy, now};
  Decision decision;
  const tracking::Workload* workload = view.workload.get();
  const tracking::AdmissionCheckState* check =
      workload == nullptr ? nullptr : workload->Check(view.check);
  if (workload == nullptr || workload->deleting) {
    DecideGone(context, decision);
  } else if (workload->Finished()) {
    DecideFinished(context, decision);
  } else if (check == nullptr) {
    DecideUnchecked(context, decision);
  } else if (workload->Evicted() || !workload->QuotaReserved()) {
    // During a deactivation the check is Pending while quota is still reserved: Evicted decides.
    DecideWithoutQuota(context, decision);
  } else if (check->state == CheckState::kRetry || check->state == CheckState::kRejected) {
    decision.phase = Phase::kRequeued;
    decision.why = check->message;
  } else if (check->state == CheckState::kReady) {
    DecideReady(context, decision);
  } else if (const std::string why = NotDispatchable(view); !why.empty()) {
    Reject(why, decision);
  } else {
    DecidePending(context, *check, decision);
  }
  return decision;
}

}  // namespace fedra::placement
