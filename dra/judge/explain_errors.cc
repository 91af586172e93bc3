#include "dra/judge/explain_errors.h"

#include <algorithm>

#include "dra/judge/selector_advice.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::ReasonCode;

namespace {

// Steps in a message: where all orders of devices are tried they exceed every integer.
constexpr double kMostToTell = uint64_t{1} << 62;

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

verdict::PodsFit HowManyFit(const PodSetReport& report) {
  return {.fitting = report.fitting, .wanted = report.wanted};
}

bool IsCertain(const ErrorForecast& errors) {
  return !errors.by_chance && !errors.leaked && errors.feasible < kNodesAlwaysExamined;
}

void ExplainError(const PlacementTrace& trace, const Snapshot& snapshot, Explanation& explanation) {
  const ErrorForecast& errors = trace.errors;
  const bool by_chance = errors.by_chance || errors.leaked;
  const bool certain = IsCertain(errors);
  const Outcome outcome = certain ? Outcome::kNo : Outcome::kUnknown;
  explanation.aborted = certain;
  if (trace.report.fitting > 0)
    explanation.Add(outcome, ReasonCode::kPodsDoNotFit, "pod set " + trace.report.name,
                    HowManyFit(trace.report));
  verdict::SchedulerError facts{
      .node = {}, .error = WithAdvice(*errors.error, snapshot), .by_chance = by_chance};
  if (DoesNotCompile(*errors.error))
    return explanation.Add(outcome, ReasonCode::kSelectorError, "", std::move(facts));
  facts.node = errors.error->node->name.str();
  std::string object = "Node " + facts.node;
  explanation.Add(outcome, ErrorCodeOf(errors.error->cause), std::move(object), std::move(facts));
}

void ExplainErrorAhead(const PlacementTrace& trace, const Snapshot& snapshot,
                       Explanation& explanation) {
  if (explanation.outcome != Outcome::kYes) return;
  const AttemptError& error = *trace.errors.ahead;
  const std::string node = error.node->name.str();
  explanation.Add(Outcome::kUnknown, ErrorCodeOf(error.cause), "Node " + node,
                  verdict::SchedulerError{.node = node,
                                          .error = WithAdvice(error, snapshot),
                                          .pods = error.pods,
                                          .pod_set = trace.report.name,
                                          .by_chance = true});
}

void ExplainGivenUp(const PlacementTrace& trace, Explanation& explanation) {
  const std::string node = trace.errors.given_up->name.str();
  explanation.Add(
      Outcome::kUnknown, ReasonCode::kBudgetExceeded, "Node " + node,
      verdict::SearchLimit{.kind = verdict::SearchLimit::Kind::kOneNode, .where = node});
}

void ExplainSlowSearch(const PlacementTrace& trace, const AllocatorFeatures& features,
                       Explanation& explanation) {
  using enum verdict::SearchLimit::Kind;
  const ErrorForecast& errors = trace.errors;
  const bool certain = IsSurelyTooSlow(errors, features) && errors.feasible < kNodesAlwaysExamined;
  explanation.aborted = certain;
  const std::string node = errors.slowest->name.str();
  explanation.Add(certain ? Outcome::kNo : Outcome::kUnknown, ReasonCode::kBudgetExceeded,
                  "Node " + node,
                  verdict::SearchLimit{
                      .kind = features.slow_search_ends_attempt ? kSlow : kSlowNode,
                      .where = node,
                      .steps = static_cast<uint64_t>(std::min(errors.slowest_steps, kMostToTell))});
}

}  // namespace fedra::dra
