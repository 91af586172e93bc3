#include "manager/placement/steps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/placement/rank.h"
#include "manager/placement/refusal.h"
#include "manager/tracking/kueue_api.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

constexpr const char* kAdmittedUnasked =
    "Kueue has admitted it on the manager without its AdmissionCheck, because its pods ask for no "
    "resource that it counts there: no worker gets it";

// How soon it is looked again at a job whose worker rejects our credentials: it may be unreachable
// by then.
constexpr std::chrono::minutes kRejectedLook{1};

// Of the attempt; nothing: by the failure's reason.
std::optional<AttemptEnd> EndOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kLate:
      return AttemptEnd::kTimedOut;
    case FailureKind::kEvicted:
      return AttemptEnd::kEvicted;
    case FailureKind::kPassing:
      break;
  }
  return std::nullopt;
}

}  // namespace

void WakeBy(WallTime time, std::optional<WallTime>& wake_at) {
  wake_at = std::min(wake_at.value_or(time), time);
}

// Kueue finishes the Workload of a job that was deleted, or that no longer owns it.
WorkloadEnd EndOf(const tracking::Condition& finished) {
  if (finished.reason == tracking::kOwnerNotFound)
    return {Phase::kGone, AttemptEnd::kDeleted, notes::kDeleted};
  if (finished.reason == tracking::kSliceReplaced)
    return {Phase::kGone, AttemptEnd::kFinished, notes::kReplaced};
  if (finished.reason == tracking::kFailed || finished.reason == tracking::kFailedToStart)
    return {Phase::kFailed, AttemptEnd::kFailed, notes::kJobFailed};
  return {Phase::kFinished, AttemptEnd::kFinished, notes::kCompleted};
}

void RememberFailure(const Context& context, const ClusterView& cluster, verdict::ReasonCode reason,
                     std::string message, Decision& decision, FailureKind kind) {
  decision.actions.emplace_back(RecordFailure{
      {cluster.name, reason, context.now, std::move(message), /*refused=*/false}, EndOf(kind)});
}

std::optional<Outage> WaitForContact(const Context& context, const ClusterView& worker,
                                     Decision& decision) {
  Outage outage{worker.lost_since.value_or(context.now),
                worker.lost_why.empty() ? "no contact" : worker.lost_why};
  const auto& [since, why] = outage;
  if (worker.fault_is_ours && !context.policy.leaves_rejected) {
    decision.why = fmt::format(
        "fedra's own credentials for {} have not worked since {}: {}; the job stays there, and its "
        "state is not known until they do",
        worker.name.value, FormatRfc3339(since), why);
    decision.wake_at = context.now + kRejectedLook;
    return std::nullopt;
  }
  if (IsLost(context, worker)) return outage;
  const WallTime deadline = since + context.policy.worker_lost_timeout;
  decision.wake_at = context.now < deadline ? deadline : context.now + kSyncingRecheck;
  const std::string next = context.now < deadline ? "the job moves at " + FormatRfc3339(deadline)
                                                  : "it is asked once more before the job moves";
  decision.why = fmt::format("{} has been unreachable since {}: {}; {}", worker.name.value,
                             FormatRfc3339(since), why, next);
  return std::nullopt;
}

void EndOn(const ClusterName& worker, AttemptEnd end, Decision& decision, std::string message) {
  decision.actions.emplace_back(EndAttempt{worker, end, std::move(message)});
}

void ReportHeldBack(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  if (!workload.active) {
    decision.phase = Phase::kSuspended;
    decision.why = NotDispatchable(context.view);
    if (decision.why.empty()) decision.why = "deactivated (spec.active is false)";
  } else if (workload.Evicted()) {
    decision.phase = Phase::kRequeued;
    decision.why = workload.evicted->message;
  } else if (context.view.unasked == Unasked::kAdmitted) {
    decision.phase = Phase::kWaiting;
    decision.waits_for = WaitsFor::kKueue;
    decision.why = kAdmittedUnasked;
  } else {
    const bool is_refused = context.view.unasked == Unasked::kRefused;
    decision.phase = Phase::kWaiting;
    decision.waits_for = is_refused ? WaitsFor::kKueue : WaitsFor::kQuota;
    decision.why = workload.quota_reserved && !workload.quota_reserved->message.empty()
                       ? workload.quota_reserved->message
                       : std::string(kWaitingForQuota);
  }
}

void MirrorEnd(const ClusterView& cluster, Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = cluster.name;
  decision.why = fmt::format("finished on {}; copying its final status", cluster.name.value);
  decision.actions.emplace_back(MirrorStatus{cluster.name});
}

bool TakeBackFrom(const Context& context, const ClusterView& cluster, AttemptEnd end,
                  const std::string& message, Decision& decision) {
  const bool has_ours = HasOurs(cluster);
  if (IsOutOfReach(context, cluster)) {
    if (has_ours || Contains(context.record.nominated, cluster.name))
      decision.actions.emplace_back(RecordResidue{cluster.name});
    return true;
  }
  if (has_ours) decision.actions.emplace_back(DeleteRemote{cluster.name, end, message});
  return !has_ours;
}

bool CleanUp(const Context& context, const ClusterView* keep, AttemptEnd end, Decision& decision,
             const std::string& message) {
  bool clean = true;
  for (const ClusterView& cluster : context.clusters) {
    if (&cluster != keep) clean &= TakeBackFrom(context, cluster, end, message, decision);
  }
  return clean;
}

bool BeginsRound(const Context& context, const std::vector<ClusterName>& nominated,
                 const Choice& choice) {
  const auto begins = [&](const ClusterName& name) {
    return !Contains(nominated, name) || FailedInRound(context.record, name);
  };
  return !context.record.nominated_at || std::ranges::any_of(choice.clusters, begins);
}

void NoteDispatched(const Context& context, const std::vector<ClusterName>& nominated,
                    const Choice& choice, Decision& decision) {
  const auto is_known = [&](const ClusterName& name) { return Contains(nominated, name); };
  if (std::ranges::all_of(choice.clusters, is_known)) return;
  decision.actions.emplace_back(Note{notes::kDispatched.name, decision.worker,
                                     fmt::format("dispatched to {}: {}", Join(choice.clusters),
                                                 EligibleCount(context.clusters, context.policy))});
  for (const ClusterName& name : choice.clusters) {
    for (const verdict::Reason& reason : context.Find(name.value)->verdict.reasons) {
      if (reason.code == verdict::ReasonCode::kTemplateDrift)
        decision.actions.emplace_back(
            Note{notes::kTemplateDrift.name, name, verdict::MessageOf(reason)});
    }
  }
}

void NoteBlocked(const Context& context, const Message& message, Decision& decision) {
  const notes::NoteReason& reason =
      message.waits ? notes::kWaitingForDevices : notes::kPlacementRejected;
  decision.actions.emplace_back(
      Note{reason.name, {}, message.text, ReasonsByWorker(context.clusters)});
}

std::string TooLate(const Context& context, const ClusterView& cluster) {
  const std::string& name = cluster.name.value;
  if (!HasOwnClone(cluster) || !cluster.clone->Admitted()) {
    const std::string pending = HasOwnClone(cluster) ? PendingMessage(cluster) : std::string();
    return name + " did not admit the workload in time" + (pending.empty() ? "" : ": " + pending);
  }
  if (IsOverdue(context, cluster))
    return name + " admitted the workload, but its job could not be created there in time";
  return name + " admitted the workload, but could not be used in time";
}

void RememberSpent(const Context& context, const ClusterView& cluster, Decision& decision) {
  const tracking::Workload& clone = *cluster.clone;
  std::string message =
      clone.Finished()
          ? fmt::format("{} finished the copy without running it: {}: {}", cluster.name.value,
                        clone.finished->reason, clone.finished->message)
          : fmt::format("{} has deactivated the copy (spec.active is false there)",
                        cluster.name.value);
  message = Cut(std::move(message), tracking::kMaxCheckMessage);
  RefusalRecord refusal = RefusalOf(cluster.name, verdict::ReasonCode::kRecentlyFailed,
                                    std::move(message), context.now);
  decision.actions.emplace_back(std::move(refusal.failure));
  decision.actions.emplace_back(std::move(refusal.note));
}

void AdmitOn(const Context& context, const ClusterView& winner, Decision& decision) {
  std::string message = AdmittedText(winner.name);
  const bool holds = context.view.holds_check;
  decision.actions.emplace_back(
      Admit{winner.name,
            holds ? message + "; this check stays Pending, so that nothing is started here as well"
                  : message,
            holds});
  decision.actions.emplace_back(Note{notes::kPlaced.name, winner.name, std::move(message)});
}

}  // namespace fedra::placement
