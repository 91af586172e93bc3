#include "dra/judge/joint_explainer.h"

#include <algorithm>
#include <utility>

#include "dra/judge/shortage.h"

namespace fedra::dra {

using verdict::JointShortage;
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
  for (const Symbol& name : constraint.requests) names += (names.empty() ? "" : ", ") + name.str();
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

void JointExplainer::Refuse(ReasonCode code, std::string object, JointShortage shortage,
                            Explanation& explanation) {
  explanation.obstacle = shortage;
  explanation.Add(Outcome::kNo, code, std::move(object), std::move(shortage));
}

bool JointExplainer::ExplainConstraints(Explanation& explanation) const {
  JointShortage shortage = On(JointShortage::Cause::kConstraints);
  for (size_t i = 0; i < kMaxConstraints; ++i) {
    std::vector<std::string> constraints = ConstraintsAt(pod_, i);
    if (constraints.empty()) break;
    if (!Fits({.constraints = uint64_t{1} << i})) continue;
    shortage.constraints = std::move(constraints);
    Refuse(ReasonCode::kConstraintUnsatisfied,
           pod_.claims.size() == 1 ? pod_.claims[0].Describe() : "", std::move(shortage),
           explanation);
    return true;
  }
  if (!Fits({.constraints = ~uint64_t{0}})) return false;
  Refuse(ReasonCode::kConstraintUnsatisfied, "", std::move(shortage), explanation);
  return true;
}

bool JointExplainer::ExplainAmounts(JointShortage shortage, Explanation& explanation) const {
  const Workspace& taken = placed_.workspace;
  ReasonCode code;
  if (Fits({.counters = true})) {
    code = ReasonCode::kCountersExhausted;
    shortage.cause = JointShortage::Cause::kCounters;
    shortage.amounts = CounterShortages(context_, taken, node_, pod_);
  } else if (Fits({.groups = true})) {
    code = ReasonCode::kCountersExhausted;
    shortage.cause = JointShortage::Cause::kGroups;
  } else if (Fits({.taints = true})) {
    code = ReasonCode::kDeviceTainted;
    shortage.cause = JointShortage::Cause::kTaints;
  } else if (Fits({.capacity = true})) {
    code = ReasonCode::kCapacityExhausted;
    shortage.cause = JointShortage::Cause::kCapacity;
    shortage.amounts = CapacityShortages(context_, taken, node_, pod_);
  } else {
    return false;
  }
  Refuse(code, "Node " + node_.name.str(), std::move(shortage), explanation);
  return true;
}

void JointExplainer::Explain(const Waiting& waiting, Explanation& explanation) const {
  JointShortage shortage = On(JointShortage::Cause::kNoNode);
  shortage.with_all_free = waiting.Hopeless(nullptr);
  const bool hopeless = shortage.with_all_free.has_value();
  if (ExplainConstraints(explanation) || ExplainAmounts(shortage, explanation)) return;
  const bool in_use = Fits({.counters = true, .groups = true, .in_use = true});
  const bool by_others = in_use && !hopeless && AreHeldByOthers(explanation.requests);
  if (in_use)
    shortage.cause = by_others ? JointShortage::Cause::kAllocated : JointShortage::Cause::kTaken;
  shortage.with_room = !trace_.found.no_room.empty();
  CountOn(context_, placed_.workspace, node_, pod_, shortage);
  Refuse(by_others ? ReasonCode::kDevicesAllocated : ReasonCode::kNotEnoughDevices,
         "Node " + node_.name.str(), std::move(shortage), explanation);
}

}  // namespace fedra::dra
