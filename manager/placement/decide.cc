#include "manager/placement/decide.h"

#include "manager/placement/check_report.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/slices.h"
#include "manager/placement/stages.h"

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

Decision Decide(const WorkloadView& view, std::span<const ClusterView> clusters,
                const PlacementRecord& record, const Policy& policy, WallTime now) {
  const Context context{view, clusters, record, policy, now};
  Decision decision;
  if (view.kueue_copies) {
    DecideNominations(context, decision);
    return decision;
  }
  const tracking::Workload* workload = view.workload.get();
  const tracking::AdmissionCheckState* check =
      workload == nullptr ? nullptr : workload->Check(view.check);
  if (workload == nullptr || workload->deleting) {
    DecideGone(context, decision);
  } else if (workload->Finished()) {
    DecideFinished(context, decision);
  } else if (!view.other_slice.empty()) {
    DecideBesideSlice(context, decision);
  } else if (check == nullptr) {
    DecideUnchecked(context, decision);
  } else if (workload->Evicted() || !workload->QuotaReserved()) {
    // During a deactivation the check is Pending while quota is still reserved: Evicted decides.
    DecideWithoutQuota(context, decision);
  } else if (check->state == CheckState::kRetry || check->state == CheckState::kRejected) {
    DecideGivenBack(context, *check, decision);
  } else if (IsPlaced(view, *check) || IsHandedOver(view, *check)) {
    DecideReady(context, decision);
  } else if (const std::string why = NotDispatchable(view); !why.empty()) {
    Reject(why, decision);
  } else {
    DecidePending(context, *check, decision);
  }
  return decision;
}

}  // namespace fedra::placement
