// Why not all pods fit.

#include <algorithm>

#include "dra/judge/simulation.h"
#include "dra/judge/simulation_run.h"

namespace fedra::dra {
namespace {

// Enough to tell what is in the way, not to prove it: for one try, and for a whole judgement.
constexpr uint64_t kStepsPerTry = 20'000;
constexpr uint64_t kExplainingSteps = 200'000;

// Behind an error that the simulation meets and the scheduler may not, or the other way round.
constexpr const char* kByChance = "; whether it comes to that depends on which nodes it prefers";

std::string Describe(const Constraint& constraint) {
  const bool match = !constraint.match_attribute.empty();
  std::string text = match ? "matchAttribute " + constraint.match_attribute.str()
                           : "distinctAttribute " + constraint.distinct_attribute.str();
  std::string names;
  for (const Text& name : constraint.requests) names += (names.empty() ? "" : ", ") + name.str();
  return text + (names.empty() ? " over all requests" : " over requests " + names);
}

// The constraints at one position of the pod's claims, which are dropped together; each with its
// claim when there are several.
std::vector<std::string> ConstraintsAt(const PodClaims& pod, size_t position) {
  std::vector<std::string> found;
  for (const PreparedClaim& claim : pod.claims) {
    if (position >= claim.spec->constraints.size()) continue;
    std::string text = "constraint " + Describe(claim.spec->constraints[position]);
    if (pod.claims.size() > 1) text += " of " + claim.Words();
    found.push_back(std::move(text));
  }
  return found;
}

std::string Alternatives(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " or ") + text;
  return all;
}

ReasonCode ErrorCodeOf(ErrorCause cause) {
  switch (cause) {
    case ErrorCause::kSelector:
      return ReasonCode::kSelectorError;
    case ErrorCause::kPool:
      return ReasonCode::kPoolIncomplete;
    case ErrorCause::kAllocator:
      return ReasonCode::kAllocationError;
  }
  return ReasonCode::kAllocationError;
}

std::string HowManyFit(const PodSetReport& report) {
  return std::to_string(report.fitting) + " of " + std::to_string(report.wanted) + " pods fit";
}

bool AreHeldByOthers(const std::vector<RequestReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const RequestReport& report) {
    return report.allocated + report.in_flight > 0;
  });
}

}  // namespace

void Simulation::ExplainNodes(Run& run) {
  const size_t all = snapshot_.nodes().size();
  Add(run, Outcome::kNo, ReasonCode::kNodeMismatch, "",
      "0 of " + std::to_string(all) + " nodes can take the pod" +
          (run.refused.empty() ? "" : ": " + Join(run.refused)));
}

bool Simulation::FitsWith(const Node& node, const Variant& variant, const Relaxation& relaxation) {
  if (cost_.explaining >= kExplainingSteps) return false;
  const NodeAllocation found =
      Allocate(variant.pod, ViewOf(snapshot_, node), &workspace_, caches_.matches,
               snapshot_.features(), {.max_steps = kStepsPerTry}, relaxation);
  cost_.explaining += found.steps;
  return found.fit == Fit::kFit;
}

// Every request could be satisfied alone: drop one rule after the other and see what then fits.
void Simulation::ExplainTogether(Run& run, const Node& node, Variant& variant) {
  const std::string where = " on node " + node.name.str();
  std::string& obstacle = run.result.report.obstacle;
  const std::optional<std::string> hopeless = Hopeless(run, nullptr);
  const std::string anyway = hopeless ? "; " + *hopeless : "";
  for (size_t i = 0; i < kMaxConstraints; ++i) {
    const std::vector<std::string> constraints = ConstraintsAt(variant.pod, i);
    if (constraints.empty()) break;
    if (!FitsWith(node, variant, {.constraints = uint64_t{1} << i})) continue;
    obstacle = Alternatives(constraints) + " cannot hold" + where;
    const auto& claims = variant.pod.claims;
    return Add(run, Outcome::kNo, ReasonCode::kConstraintUnsatisfied,
               claims.size() == 1 ? claims[0].Words() : "", obstacle);
  }
  if (FitsWith(node, variant, {.constraints = ~uint64_t{0}})) {
    obstacle = "the constraints of the claims cannot hold together" + where;
    return Add(run, Outcome::kNo, ReasonCode::kConstraintUnsatisfied, "", obstacle);
  }
  if (FitsWith(node, variant, {.counters = true})) {
    obstacle =
        "shared counters are used up" + where + ": " + CounterShortages(node, variant) + anyway;
    return Add(run, Outcome::kNo, ReasonCode::kCountersExhausted, "Node " + node.name.str(),
               obstacle);
  }
  if (FitsWith(node, variant, {.taints = true})) {
    obstacle = "untolerated device taints" + where;
    return Add(run, Outcome::kNo, ReasonCode::kDeviceTainted, "Node " + node.name.str(), obstacle);
  }
  if (FitsWith(node, variant, {.capacity = true})) {
    obstacle = "not enough device capacity is left" + where + ": " +
               CapacityShortages(node, variant) + anyway;
    return Add(run, Outcome::kNo, ReasonCode::kCapacityExhausted, "Node " + node.name.str(),
               obstacle);
  }
  const bool in_use = FitsWith(node, variant, {.counters = true, .in_use = true});
  const bool by_others = in_use && !hopeless && AreHeldByOthers(run.result.report.requests);
  obstacle =
      (in_use ? "too many devices are " + std::string(by_others ? "allocated" : "taken") + where
              : std::string(run.no_room.empty() ? "no single node" : "no node with room") +
                    " has devices for all requests; the nearest is " + node.name.str()) +
      " (" + CountsOn(node, variant) + ")" + anyway;
  Add(run, Outcome::kNo, by_others ? ReasonCode::kDevicesAllocated : ReasonCode::kNotEnoughDevices,
      "Node " + node.name.str(), obstacle);
}

void Simulation::ExplainError(Run& run) {
  const AttemptError& error = *run.error;
  PodSetReport& report = run.result.report;
  // The scheduler comes to that node, whatever it finds before.
  const bool certain = !run.by_chance && run.feasible < kNodesAlwaysExamined;
  const Outcome outcome = certain ? Outcome::kNo : Outcome::kUnknown;
  report.aborted = certain;
  if (report.fitting > 0)
    Add(run, outcome, ReasonCode::kPodsDoNotFit, "pod set " + report.name, HowManyFit(report));
  const std::string node = error.node->name.str();
  Add(run, outcome, ErrorCodeOf(error.cause), "Node " + node,
      "the scheduler ends with an error on node " + node + ": " + error.text +
          (run.by_chance ? kByChance : ""));
}

// All pods fit, if they go where they do not bring the scheduler to that.
void Simulation::ExplainErrorAhead(Run& run) {
  if (run.result.outcome != Outcome::kYes) return;
  const AttemptError& error = *run.error_ahead;
  const std::string node = error.node->name.str();
  Add(run, Outcome::kUnknown, ErrorCodeOf(error.cause), "Node " + node,
      "the scheduler ends with an error on node " + node + " once " + std::to_string(error.pods) +
          (error.pods == 1 ? " pod" : " pods") + " of pod set " + run.result.report.name +
          (error.pods == 1 ? " is" : " are") + " there: " + error.text + kByChance);
}

// What was found so far proves nothing about the rest.
void Simulation::ExplainBudget(Run& run) const {
  const PodSetReport& report = run.result.report;
  const std::string where =
      run.unfinished == nullptr ? "" : " on node " + run.unfinished->name.str();
  Add(run, Outcome::kUnknown, ReasonCode::kBudgetExceeded, "pod set " + report.name,
      "the search for devices was given up" + where + " after " + std::to_string(cost_.steps) +
          " steps (at most " + std::to_string(options_.limits.max_steps) +
          " for all pods and nodes together): " + std::to_string(report.fitting) + " of " +
          std::to_string(report.wanted) + " pods had found their devices");
}

// Everything fits, but the scheduler does not get that far: it searches every node, and one search
// that it gives up ends the pod's attempt (dra.md 12.6).
void Simulation::ExplainSlowSearch(Run& run) const {
  const bool certain = run.slowest_steps >= kSurelySlow && run.feasible < kNodesAlwaysExamined;
  run.result.report.aborted = certain;
  const std::string node = run.slowest->name.str();
  Add(run, certain ? Outcome::kNo : Outcome::kUnknown, ReasonCode::kBudgetExceeded, "Node " + node,
      "kube-scheduler needs at least " + std::to_string(static_cast<uint64_t>(run.slowest_steps)) +
          " steps to find out that node " + node +
          " has too few devices for one request; a search that takes longer than 10 seconds ends "
          "with an error, and then the pod goes nowhere, although it fits on other nodes");
}

void Simulation::ExplainUnbindable(Run& run) const {
  if (run.unbindable_claim != nullptr) {
    const std::string object = "ResourceClaim " + run.unbindable_claim->ToString();
    run.result.report.aborted = true;
    Add(run, Outcome::kNo, ReasonCode::kClaimMissing, object,
        object +
            " takes no more pods: its allocation lacks allocationTimestamp, which "
            "kube-scheduler then tries to add and the API server refuses as immutable; "
            "delete the claim and create it again");
  }
  if (run.full_claim != nullptr) {
    const std::string object = "ResourceClaim " + run.full_claim->ToString();
    const size_t placed = reserved_.contains(*run.full_claim) ? reserved_.at(*run.full_claim) : 0;
    const size_t before = ConsumersOf(*run.full_claim) - placed;
    const std::string most = std::to_string(kMaxConsumers);
    Add(run, Outcome::kNo, ReasonCode::kCapacityExhausted, object,
        object + (placed == 0   ? " has " + most + " consumers already"
                  : before == 0 ? " can have no more than " + most + " consumers"
                                : " can have no more than " + most + " consumers, and has " +
                                      std::to_string(before) + " of them already"));
  }
  if (run.unbindable > 0) {
    run.result.report.aborted = run.result.report.fitting == 0;
    Add(run, Outcome::kNo, ReasonCode::kNodeMismatch, "",
        std::to_string(run.unbindable) + " of " + std::to_string(snapshot_.nodes().size()) +
            " nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
            "bind a pod there that has claims as well");
  }
}

// What the nodes without room are short of. True: some of them have the devices, so that room is
// all that is missing.
bool Simulation::ExplainRoom(Run& run) {
  std::map<std::string, int> all, with_devices;
  int nodes = 0;
  for (const auto& [node, what] : run.no_room) {
    ++all[what];
    const Variant& variant = VariantFor(run, *node);
    if (!variant.pod.claims.empty() && !FitsWith(*node, variant, {})) continue;
    ++nodes;
    ++with_devices[what];
  }
  if (all.empty()) return false;
  Add(run, Outcome::kNo, ReasonCode::kNodeResources, "",
      "there is no room on " + std::to_string(nodes > 0 ? nodes : std::ssize(run.no_room)) +
          " of " + std::to_string(run.nodes.size()) + " nodes" +
          (nodes > 0 ? ", which could take the pod otherwise: " + Join(with_devices)
                     : ": " + Join(all)));
  return nodes > 0;
}

void Simulation::ExplainShortage(Run& run) {
  PodSetReport& report = run.result.report;
  if (report.fitting >= options_.max_pods) {
    return Add(run, Outcome::kUnknown, ReasonCode::kBudgetExceeded, "pod set " + report.name,
               std::to_string(report.fitting) + " of " + std::to_string(report.wanted) +
                   " pods fit; the others were not looked at");
  }
  if (run.error) return ExplainError(run);
  if (BudgetIsSpent()) return ExplainBudget(run);
  if (report.fitting > 0)
    Add(run, Outcome::kNo, ReasonCode::kPodsDoNotFit, "pod set " + report.name, HowManyFit(report));
  ExplainUnbindable(run);
  if (run.unbindable_claim != nullptr || run.full_claim != nullptr) return;
  if (run.nodes.empty()) return ExplainNodes(run);
  std::vector<Reason>& reasons = run.result.reasons;
  const auto room = static_cast<ptrdiff_t>(reasons.size());
  const bool is_room = ExplainRoom(run);
  const auto devices = static_cast<ptrdiff_t>(reasons.size());
  if (run.nearest != nullptr) {
    report.nearest = run.nearest->name.str();
    Variant& variant = VariantFor(run, *run.nearest);
    if (!ExplainRequests(run, variant)) ExplainTogether(run, *run.nearest, variant);
  }
  // First what would help: more room where the devices are, or else devices.
  if (!is_room) std::rotate(reasons.begin() + room, reasons.begin() + devices, reasons.end());
}

}  // namespace fedra::dra
