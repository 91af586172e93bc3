#include "dra/judge/attempt.h"

#include <algorithm>
#include <utility>

#include "dra/judge/node_choice.h"
#include "dra/judge/order_draws.h"
#include "dra/judge/simulation.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using verdict::Verdict;

namespace {

// What the nodes cost that an attempt looks at, apart from searching.
constexpr size_t kNodesPerStep = 64;

Attempt RunAttempt(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
                   SearchCost& cost, const Simulation::Options& how) {
  const JudgeOptions& options = question.options;
  if (how.draws != nullptr) how.draws->BeginSimulation();
  Simulation simulation(question.ns, snapshot, caches, options, cost, how);
  if (options.assumed != nullptr) {
    for (const AssumedPods& pods : *options.assumed) simulation.Assume(pods);
  }
  Attempt attempt;
  Verdict& verdict = attempt.judgement.verdict;
  verdict.outcome = Outcome::kYes;
  for (const PodDemand& demand : question.demands) {
    attempt.chose_by_name = simulation.chose_by_name();
    PodSetResult result = simulation.Place(demand);
    verdict.pods_wanted += demand.count;
    verdict.pods_fitting += result.report.fitting;
    verdict.outcome = std::max(verdict.outcome, result.outcome);
    for (const ChosenAlternative& chosen : result.report.alternatives)
      verdict.alternatives.push_back(chosen.index);
    attempt.certain |= result.report.fitting < demand.count && result.contested.empty();
    attempt.contested.insert(attempt.contested.end(), result.contested.begin(),
                             result.contested.end());
    for (Reason& reason : result.reasons)
      if (std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) ==
          verdict.reasons.end())
        verdict.reasons.push_back(std::move(reason));
    attempt.ends.push_back(result.end);
    attempt.judgement.pod_sets.push_back(std::move(result.report));
  }
  verdict.headroom = simulation.Headroom();
  attempt.idle_claim = simulation.idle_claim();
  attempt.claim_taken_back_later = simulation.claim_taken_back_later();
  attempt.choices = simulation.choices();
  attempt.assumed_fitting = simulation.assumed_fitting();
  return attempt;
}

bool IsBetter(const Attempt& a, const Attempt& b) {
  const auto key = [](const Attempt& attempt) {
    return std::pair(attempt.assumed_fitting, attempt.judgement.verdict.pods_fitting);
  };
  return key(a) > key(b);
}

// Another node for the shared claims might have held all pods: a No is not proven.
void Downgrade(Attempt& attempt, const SearchCost& cost) {
  Verdict& verdict = attempt.judgement.verdict;
  if (verdict.outcome != Outcome::kNo) return;
  const std::string object = "ResourceClaim " + attempt.contested.front().ToString();
  verdict.outcome = Outcome::kUnknown;
  verdict.reasons.insert(verdict.reasons.begin(),
                         {ReasonCode::kBudgetExceeded, object,
                          verdict::SearchLimit{.kind = verdict::SearchLimit::Kind::kSharedClaim,
                                               .where = object,
                                               .steps = cost.steps}});
}

}  // namespace

Attempt TryNodes(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
                 SearchCost& cost, const AttemptOptions& how) {
  const uint64_t max_steps = question.options.limits.max_steps;
  const auto run = [&](const ExcludedNodes& excluded, bool explains) {
    return RunAttempt(question, snapshot, caches, cost,
                      {.excluded = excluded,
                       .explain = explains,
                       .free_cluster = how.free_cluster,
                       .draws = how.draws,
                       .ties = how.ties,
                       .spreads = how.spreads});
  };
  Attempt first = run({}, how.explain);
  if (first.idle_claim || first.certain || first.contested.empty()) return first;
  if (how.draws != nullptr && how.draws->has_merged()) return first;
  NodeChoice choice;
  const Attempt* last = &first;
  Attempt dry, best;
  std::optional<ExcludedNodes> excluded, best_excluded;
  while ((excluded = choice.Next(last->choices, last->contested)) && cost.steps < max_steps) {
    dry = run(*excluded, false);
    cost.steps += 1 + snapshot.nodes().size() / kNodesPerStep;
    last = &dry;
    if (!IsBetter(dry, best_excluded ? best : first)) continue;
    best = dry;
    best_excluded = excluded;
    const Verdict& verdict = dry.judgement.verdict;
    if (verdict.pods_fitting == verdict.pods_wanted) break;
  }
  if (cost.steps >= max_steps) {
    Downgrade(first, cost);
    return first;
  }
  return best_excluded ? run(*best_excluded, how.explain) : first;
}

}  // namespace fedra::dra
