#include "dra/judge/simulation.h"

#include <utility>

#include "dra/judge/explain_errors.h"
#include "dra/judge/explain_release.h"
#include "dra/judge/explainer.h"
#include "dra/judge/order_draws.h"
#include "dra/judge/placer.h"

namespace fedra::dra {

using verdict::Outcome;

namespace {

// Where not all pods fit: whether an Explainer says Unknown and not No. Budgets apart.
bool IsUnproven(const PlacementTrace& trace, int max_pods) {
  return trace.report.fitting >= max_pods || DoubtsNo(trace) ||
         (trace.errors.error && !IsCertain(trace.errors));
}

// In the order in which an Explainer looks.
PodSetEnd EndOf(const PlacementTrace& trace, const AllocatorFeatures& features, int max_pods) {
  using enum PodSetEnd::Trouble;
  const ErrorForecast& errors = trace.errors;
  PodSetEnd end{.fitting = trace.report.fitting};
  if (end.fitting < trace.report.wanted) {
    end.may_fit = IsUnproven(trace, max_pods);
    return end;
  }
  if (errors.slowest != nullptr)
    end.trouble = IsSurelyTooSlow(errors, features) ? kTakesLong : kMayTakeLong;
  else if (errors.given_up != nullptr)
    end.trouble = kGivenUp;
  else if (errors.ahead)
    end.trouble = kErrorAhead;
  return end;
}

}  // namespace

void Simulation::Assume(const AssumedPods& pods) {
  PodDemand demand = *pods.demand;
  demand.count = pods.count;
  const size_t step = steps_++;
  placed_.workspace.assumed = true;
  const PlacementTrace trace =
      Placer(context_, placed_, {.ns = pods.ns, .demand = demand},
             {.number = step, .excluded = options_.excluded.Of(step), .forecast_errors = false})
          .Place();
  placed_.workspace.assumed = false;
  if (!idle_claim_) idle_claim_ = trace.idle_claim;
  assumed_fitting_ += trace.report.fitting;
  NoteEnd(trace, {.fitting = trace.report.fitting});
}

void Simulation::NoteEnd(const PlacementTrace& trace, const PodSetEnd& end) {
  if (context_.draws == nullptr) return;
  std::string text;
  for (const int number : {end.fitting, static_cast<int>(end.trouble), int{end.may_fit},
                           static_cast<int>(trace.contested.size())})
    (text += std::to_string(number)) += ' ';
  for (const auto& claim : {trace.idle_claim, trace.claim_taken_back_later})
    (text += claim ? claim->ToString() : "") += ' ';
  context_.draws->EndStep(text);
}

PodSetResult Simulation::Place(const PodDemand& demand) {
  const size_t step = steps_++;
  const size_t pod_set = pod_sets_++;
  const TieBreak* ties = pod_set < options_.ties.size() ? &options_.ties[pod_set] : nullptr;
  PlacementTrace trace = Placer(context_, placed_, {.ns = ns_, .demand = demand},
                                {.number = step,
                                 .excluded = options_.excluded.Of(step),
                                 .ties = ties,
                                 .spreads = options_.spreads})
                             .Place();
  PodSetResult result;
  result.end = EndOf(trace, context_.features(), context_.options.max_pods);
  result.contested = trace.contested;
  NoteEnd(trace, result.end);
  if (!trace.resolved.missing.empty()) {
    result.outcome = Outcome::kNo;
    result.reasons = trace.resolved.missing;
    result.report = std::move(trace.report);
    return result;
  }
  result.report = trace.report;
  if (!idle_claim_) idle_claim_ = trace.idle_claim;
  if (!claim_taken_back_later_) claim_taken_back_later_ = trace.claim_taken_back_later;
  if (idle_claim_ || !options_.explain) return result;
  const Waiting waiting(options_.free_cluster, pod_set);
  Explanation explanation = Explainer(context_, trace, placed_, waiting).Explain();
  result.outcome = explanation.outcome;
  Scale(trace, result, explanation);
  result.reasons = std::move(explanation.reasons);
  result.report.requests = std::move(explanation.requests);
  result.report.nearest = std::move(explanation.nearest);
  result.report.obstacle = std::move(explanation.obstacle);
  result.report.aborted = explanation.aborted;
  result.report.no_room = std::move(explanation.no_room);
  if (result.end.fitting >= demand.count)
    fitted_.push_back({.demand = &demand, .resolved = std::move(trace.resolved)});
  return result;
}

void Simulation::Scale(const PlacementTrace& trace, PodSetResult& result,
                       Explanation& explanation) {
  std::optional<Scaling> scaling = FindScaling(context_, trace, placed_, added_nodes_, explanation);
  if (!scaling) return;
  added_nodes_[scaling->labels] += scaling->nodes.nodes;
  placed_.workspace = std::move(scaling->workspace);
  for (const ChosenAlternative& chosen : scaling->alternatives)
    Merge(result.report.alternatives, chosen);
  result.outcome = Outcome::kMayScale;
  explanation.reasons.front().new_nodes = scaling->nodes;
  result.report.new_nodes = std::move(scaling->nodes);
}

}  // namespace fedra::dra
