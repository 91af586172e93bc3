// The stage in which a worker is looked for: what stands in the way of the choice, then the choice.

#include <fmt/format.h>

#include "manager/placement/check_report.h"
#include "manager/placement/decide.h"
#include "manager/placement/dispatch.h"
#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/parts.h"
#include "manager/placement/select_workers.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"

namespace fedra::placement {
namespace {

using tracking::CheckState;

// It ended before clusterName said that it was there, or Kueue has taken the quota back meanwhile.
// Only in the first case can the place still be recorded.
void DecideEnded(const Context& context, const ClusterView& ended,
                 const std::vector<ClusterName>& nominated, Decision& decision) {
  const bool in_this_round = Contains(nominated, ended.name) && ended.contact == Contact::kFull;
  if (!in_this_round || !HasOwnClone(ended) || !ended.clone->Admitted() || ended.clone->deleting ||
      (ended.clone->Finished() && !EndedAsItsJob(*ended.clone->finished)))
    return MirrorEnd(ended, decision);
  decision.phase = Phase::kRunning;
  decision.worker = ended.name;
  AdmitOn(context, ended, decision);
  CleanUp(context, &ended, AttemptEnd::kLostRace, decision);
}

void BlockForChecks(const Context& context, const tracking::AdmissionCheckState& check,
                    Decision& decision) {
  decision.phase = Phase::kBlocked;
  const Message message = TwoChecks(context.view.check, context.view.second_check);
  decision.why = message.text;
  if (!MustReport(context, check, message)) return TakeAsReported(context, message, decision);
  decision.actions.emplace_back(
      SetCheck{CheckState::kPending, message.text, AsReported(context, message)});
  decision.actions.emplace_back(Note{notes::kNotDispatchable.name, {}, decision.why});
}

// Nothing stays where the first one of its job was: a copy that waits there, or was admitted, holds
// quota that the first one may need to come back.
void LeaveToFirst(const Context& context, Decision& decision) {
  CleanUp(context, nullptr, AttemptEnd::kWithdrawn, decision);
  if (context.workload().nominated.empty()) return;
  const Message message = WaitsForFirstMessage(decision.why);
  decision.actions.emplace_back(Nominate{{}, message.text, false, AsReported(context, message)});
}

}  // namespace

std::optional<NotYet> WhyNotYet(const WorkloadView& view) {
  if (!view.second_check.empty())
    return NotYet{WaitsFor::kNothing, TwoChecks(view.check, view.second_check).text};
  for (const tracking::AdmissionCheckState& check : view.workload->checks) {
    if (check.name != view.check && check.state != CheckState::kReady)
      return NotYet{WaitsFor::kAdmissionCheck,
                    fmt::format("waiting for the admission check {}", check.name)};
  }
  if (view.kueue_copies) {
    if (view.workload->follows)
      return NotYet{
          WaitsFor::kNothing,
          "Kueue dispatches it to the worker of the job's first Workload, once that has one"};
    // Of a kind that we do not read the Workload says enough to be judged.
    if (!view.kind_supported) return std::nullopt;
  }
  if (WaitsForFirst(view))
    return NotYet{WaitsFor::kNothing,
                  "it goes to the worker of the job's first Workload, once that has one"};
  if (view.job == nullptr) return NotYet{WaitsFor::kJob, "waiting for the job object"};
  return std::nullopt;
}

void DecidePending(const Context& context, const tracking::AdmissionCheckState& check,
                   Decision& decision) {
  decision.phase = Phase::kWaiting;
  const std::vector<ClusterName> nominated = Nominated(context, check);
  if (const ClusterView* ended = UnmirroredEnd(context); ended != nullptr)
    return DecideEnded(context, *ended, nominated, decision);
  // Admit writes clusterName and Ready at once, so a Pending check beside a clusterName means that
  // Kueue evicted the workload, however quickly that passed. Its copies belong to the
  // admission that ended.
  if (!context.workload().cluster_name.empty()) {
    decision.phase = Phase::kRequeued;
    decision.why = "evicted; looking for a worker again";
    CleanUp(context, nullptr, AttemptEnd::kEvicted, decision);
    if (context.view.job != nullptr && context.view.job->shows_activity)
      decision.actions.emplace_back(ClearActivity{});
    decision.actions.emplace_back(ClearPlacement{decision.why});
    return;
  }
  if (!context.view.second_check.empty()) return BlockForChecks(context, check, decision);
  if (auto not_yet = WhyNotYet(context.view)) {
    decision.waits_for = not_yet->waits_for;
    decision.why = std::move(not_yet->why);
    if (WaitsForFirst(context.view)) LeaveToFirst(context, decision);
    return;
  }
  if (!HasBegun(context, check) && !CleanUp(context, nullptr, AttemptEnd::kEvicted, decision)) {
    decision.why = "removing copies left from its previous admission";
    const WallTime until = context.workload().quota_reserved->since + kLongestCleanUp;
    if (context.now < until) WakeBy(until, decision.wake_at);
    return;
  }
  Dispatch(context, check, nominated, Choose(context, nominated), decision);
}

}  // namespace fedra::placement
