#include "manager/placement/action.h"

namespace fedra::placement {

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

std::optional<Phase> ParsePhase(std::string_view text) {
  if (text == ToString(Phase::kGone)) return Phase::kGone;
  for (const Phase phase : kPhases) {
    if (text == ToString(phase)) return phase;
  }
  return std::nullopt;
}

std::string_view ToString(WaitsFor waits_for) {
  switch (waits_for) {
    case WaitsFor::kNothing:
      return "";
    case WaitsFor::kQuota:
      return "Quota";
    case WaitsFor::kKueue:
      return "Kueue";
    case WaitsFor::kAdmissionCheck:
      return "AdmissionCheck";
    case WaitsFor::kJob:
      return "Job";
  }
  return "";
}

std::optional<WaitsFor> ParseWaitsFor(std::string_view text) {
  using enum WaitsFor;
  for (const WaitsFor one : {kNothing, kQuota, kKueue, kAdmissionCheck, kJob})
    if (text == ToString(one)) return one;
  return std::nullopt;
}

Action::Action(const Action& other) = default;
Action::Action(Action&& other) noexcept = default;
Action& Action::operator=(const Action& other) = default;
Action& Action::operator=(Action&& other) noexcept = default;
Action::~Action() = default;

bool IsIndependent(const Action& action) {
  return std::holds_alternative<CreateClone>(action) ||
         std::holds_alternative<DeleteRemote>(action) ||
         std::holds_alternative<SetClonePriority>(action) ||
         std::holds_alternative<UpdateCopy>(action) ||
         std::holds_alternative<RemoveSurplus>(action);
}

bool NeedsAllBefore(const Action& action) {
  return std::holds_alternative<CreateJob>(action) || std::holds_alternative<Admit>(action) ||
         std::holds_alternative<ClearPlacement>(action);
}

bool GoTogether(const Action& first, const Action& second) {
  const auto* nominate = std::get_if<Nominate>(&first);
  const auto* clone = std::get_if<CreateClone>(&second);
  return nominate != nullptr && clone != nullptr &&
         std::ranges::find(nominate->clusters, clone->cluster) != nominate->clusters.end();
}

bool ConcludesOffer(const Decision& decision) {
  return decision.phase != Phase::kWaiting && decision.phase != Phase::kRequeued;
}

std::set<ClusterName> NominatedBy(const Decision& decision) {
  std::set<ClusterName> workers;
  for (const Action& action : decision.actions) {
    if (const auto* nominate = std::get_if<Nominate>(&action))
      workers.insert(nominate->clusters.begin(), nominate->clusters.end());
  }
  return workers;
}

std::set<ClusterName> DispatchedBy(const Decision& decision) {
  std::set<ClusterName> workers = NominatedBy(decision);
  for (const Action& action : decision.actions) {
    if (const auto* create = std::get_if<CreateClone>(&action)) workers.insert(create->cluster);
  }
  return workers;
}

}  // namespace fedra::placement
