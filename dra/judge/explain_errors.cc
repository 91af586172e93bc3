#include "dra/judge/explain_errors.h"

#include "dra/judge/selector_advice.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::ReasonCode;

namespace {

// Beyond error_forecaster.cc's bound for what may be slow: no machine takes less than 10 seconds.
constexpr double kSurelySlow = uint64_t{1} << 26;

// Behind an error that the simulation meets and the scheduler may not, or the other way round.
constexpr const char* kByChance = "; whether it comes to that depends on which nodes it prefers";

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

std::string WithAdvice(const AttemptError& error, const Snapshot& snapshot) {
  return error.selector ? error.text + AdviceBehind(*error.selector, snapshot) : error.text;
}

// It is the same on every node and device.
bool DoesNotCompile(const AttemptError& error) {
  return error.selector && error.selector->compile_error;
}

}  // namespace

std::string HowManyFit(const PodSetReport& report) {
  return std::to_string(report.fitting) + " of " + std::to_string(report.wanted) + " pods fit";
}

void ExplainError(const PlacementTrace& trace, const Snapshot& snapshot, Explanation& explanation) {
  const ErrorForecast& errors = trace.errors;
  // The scheduler comes to that node, whatever it finds before.
  const bool certain = !errors.by_chance && errors.feasible < kNodesAlwaysExamined;
  const Outcome outcome = certain ? Outcome::kNo : Outcome::kUnknown;
  explanation.aborted = certain;
  if (trace.report.fitting > 0)
    explanation.Add(outcome, ReasonCode::kPodsDoNotFit, "pod set " + trace.report.name,
                    HowManyFit(trace.report));
  const std::string text =
      WithAdvice(*errors.error, snapshot) + (errors.by_chance ? kByChance : "");
  if (DoesNotCompile(*errors.error))
    return explanation.Add(outcome, ReasonCode::kSelectorError, "", text);
  const std::string node = errors.error->node->name.str();
  explanation.Add(outcome, ErrorCodeOf(errors.error->cause), "Node " + node,
                  "kube-scheduler fails with an error on node " + node + ": " + text);
}

void ExplainErrorAhead(const PlacementTrace& trace, const Snapshot& snapshot,
                       Explanation& explanation) {
  if (explanation.outcome != Outcome::kYes) return;
  const AttemptError& error = *trace.errors.ahead;
  const std::string node = error.node->name.str();
  explanation.Add(Outcome::kUnknown, ErrorCodeOf(error.cause), "Node " + node,
                  "kube-scheduler fails with an error on node " + node + " once " +
                      std::to_string(error.pods) + (error.pods == 1 ? " pod" : " pods") +
                      " of pod set " + trace.report.name + (error.pods == 1 ? " is" : " are") +
                      " there: " + WithAdvice(error, snapshot) + kByChance);
}

void ExplainGivenUp(const PlacementTrace& trace, Explanation& explanation) {
  const std::string node = trace.errors.given_up->name.str();
  explanation.Add(
      Outcome::kUnknown, ReasonCode::kBudgetExceeded, "Node " + node,
      "the pods fit, but whether devices of node " + node +
          " would do was not found out within half of the steps; kube-scheduler searches every "
          "node, and where that takes longer than 10 seconds the pod goes nowhere, although it "
          "fits "
          "on other nodes");
}

void ExplainSlowSearch(const PlacementTrace& trace, Explanation& explanation) {
  const ErrorForecast& errors = trace.errors;
  const bool certain =
      errors.slowest_steps >= kSurelySlow && errors.feasible < kNodesAlwaysExamined;
  explanation.aborted = certain;
  const std::string node = errors.slowest->name.str();
  explanation.Add(
      certain ? Outcome::kNo : Outcome::kUnknown, ReasonCode::kBudgetExceeded, "Node " + node,
      "kube-scheduler needs at least " +
          std::to_string(static_cast<uint64_t>(errors.slowest_steps)) +
          " steps to find out that node " + node +
          " has too few devices for one request; a search that takes longer than 10 seconds ends "
          "with an error, and then the pod goes nowhere, although it fits on other nodes");
}

}  // namespace fedra::dra
