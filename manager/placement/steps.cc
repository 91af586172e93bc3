#include "manager/placement/steps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra::placement {
namespace {

// Of the attempt; empty: the failure's reason.
std::string OutcomeOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kLate:
      return "TimedOut";
    case FailureKind::kEvicted:
      return "Evicted";
    case FailureKind::kRefusal:
      return "Refused";
    case FailureKind::kPassing:
      break;
  }
  return {};
}

}  // namespace

void WakeBy(WallTime time, std::optional<WallTime>& wake_at) {
  wake_at = std::min(wake_at.value_or(time), time);
}

void RememberFailure(const Context& context, const ClusterView& cluster, verdict::ReasonCode reason,
                     std::string message, Decision& decision, FailureKind kind) {
  decision.actions.emplace_back(RecordFailure{
      {cluster.name, reason, context.now, std::move(message), kind == FailureKind::kRefusal},
      OutcomeOf(kind)});
}

void MirrorEnd(const ClusterView& cluster, Decision& decision) {
  decision.phase = Phase::kRunning;
  decision.worker = cluster.name;
  decision.why = fmt::format("finished on {}; copying its final status", cluster.name.value);
  decision.actions.emplace_back(MirrorStatus{cluster.name});
}

bool TakeBackFrom(const Context& context, const ClusterView& cluster, std::string_view outcome,
                  const std::string& message, Decision& decision) {
  const bool has_ours = HasOurs(cluster);
  if (IsOutOfReach(context, cluster)) {
    if (has_ours || Contains(context.record.nominated, cluster.name))
      decision.actions.emplace_back(RecordResidue{cluster.name});
    return true;
  }
  if (has_ours)
    decision.actions.emplace_back(DeleteRemote{cluster.name, std::string(outcome), message});
  return !has_ours;
}

bool CleanUp(const Context& context, const ClusterView* keep, std::string_view outcome,
             Decision& decision, const std::string& message) {
  bool clean = true;
  for (const ClusterView& cluster : context.clusters) {
    if (&cluster != keep) clean &= TakeBackFrom(context, cluster, outcome, message, decision);
  }
  return clean;
}

}  // namespace fedra::placement
