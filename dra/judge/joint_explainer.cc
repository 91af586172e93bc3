#include "dra/judge/joint_explainer.h"

#include <algorithm>
#include <optional>

#include "dra/judge/shortage.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::ReasonCode;

namespace {

// Enough to tell what is in the way, not to prove it: for one attempt, and for a whole judgement.
constexpr uint64_t kStepsPerAttempt = 20'000;
constexpr uint64_t kExplainingSteps = 200'000;

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
    if (pod.claims.size() > 1) text += " of " + claim.Describe();
    found.push_back(std::move(text));
  }
  return found;
}

std::string Alternatives(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " or ") + text;
  return all;
}

bool AreHeldByOthers(const std::vector<RequestReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const RequestReport& report) {
    return report.allocated + report.assumed > 0;
  });
}

}  // namespace

bool FitsWith(const SimulationContext& context, const PlacedPods& placed, const Node& node,
              const PodClaims& pod, const Relaxation& relaxation) {
  if (context.cost.explaining >= kExplainingSteps) return false;
  const NodeAllocation found =
      Allocate(pod, ViewOf(context.snapshot, node), &placed.workspace, context.caches.matches,
               context.features(), {.max_steps = kStepsPerAttempt}, relaxation);
  context.cost.explaining += found.steps;
  return found.fit == Fit::kFit;
}

bool JointExplainer::ExplainConstraints(Explanation& explanation) const {
  std::string& obstacle = explanation.obstacle;
  for (size_t i = 0; i < kMaxConstraints; ++i) {
    const std::vector<std::string> constraints = ConstraintsAt(pod_, i);
    if (constraints.empty()) break;
    if (!Fits({.constraints = uint64_t{1} << i})) continue;
    obstacle = Alternatives(constraints) + " cannot hold" + Where();
    explanation.Add(Outcome::kNo, ReasonCode::kConstraintUnsatisfied,
                    pod_.claims.size() == 1 ? pod_.claims[0].Describe() : "", obstacle);
    return true;
  }
  if (!Fits({.constraints = ~uint64_t{0}})) return false;
  obstacle = "the constraints of the claims cannot hold together" + Where();
  explanation.Add(Outcome::kNo, ReasonCode::kConstraintUnsatisfied, "", obstacle);
  return true;
}

bool JointExplainer::ExplainAmounts(const std::string& anyway, Explanation& explanation) const {
  std::string& obstacle = explanation.obstacle;
  const Workspace& taken = placed_.workspace;
  ReasonCode code;
  if (Fits({.counters = true})) {
    code = ReasonCode::kCountersExhausted;
    obstacle = "shared counters are used up" + Where() + ": " +
               CounterShortages(context_, taken, node_, pod_) + anyway;
  } else if (Fits({.taints = true})) {
    code = ReasonCode::kDeviceTainted;
    obstacle = "untolerated device taints" + Where();
  } else if (Fits({.capacity = true})) {
    code = ReasonCode::kCapacityExhausted;
    obstacle = "not enough device capacity is left" + Where() + ": " +
               CapacityShortages(context_, taken, node_, pod_) + anyway;
  } else {
    return false;
  }
  explanation.Add(Outcome::kNo, code, "Node " + node_.name.str(), obstacle);
  return true;
}

void JointExplainer::Explain(const Waiting& waiting, Explanation& explanation) const {
  const std::optional<std::string> hopeless = waiting.Hopeless(nullptr);
  const std::string anyway = hopeless ? "; " + *hopeless : "";
  if (ExplainConstraints(explanation) || ExplainAmounts(anyway, explanation)) return;
  const bool in_use = Fits({.counters = true, .in_use = true});
  const bool by_others = in_use && !hopeless && AreHeldByOthers(explanation.requests);
  explanation.obstacle =
      (in_use ? "too many devices are " + std::string(by_others ? "allocated" : "taken") + Where()
              : std::string(trace_.found.no_room.empty() ? "no single node" : "no node with room") +
                    " has devices for all requests; the nearest is " + node_.name.str()) +
      " (" + CountsOn(context_, placed_.workspace, node_, pod_) + ")" + anyway;
  explanation.Add(Outcome::kNo,
                  by_others ? ReasonCode::kDevicesAllocated : ReasonCode::kNotEnoughDevices,
                  "Node " + node_.name.str(), explanation.obstacle);
}

}  // namespace fedra::dra
