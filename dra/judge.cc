#include "dra/judge.h"

#include <algorithm>

#include "dra/simulation.h"

namespace fedra::dra {

Judgement Judge(const std::string& ns, std::span<const PodDemand> demands, const Snapshot& snapshot,
                JudgeCaches caches, const JudgeOptions& options) {
  caches.matches.Trim();
  Simulation simulation(ns, snapshot, caches, options);
  for (const InFlightPods& pods : options.in_flight) simulation.Assume(pods);
  Judgement judgement;
  Verdict& verdict = judgement.verdict;
  verdict.outcome = Outcome::kYes;
  for (const PodDemand& demand : demands) {
    PodSetResult result = simulation.Place(demand);
    verdict.pods_wanted += demand.count;
    verdict.pods_fitting += result.report.fitting;
    verdict.headroom += result.headroom;
    verdict.outcome = std::max(verdict.outcome, result.outcome);
    verdict.alternatives.insert(verdict.alternatives.end(), result.alternatives.begin(),
                                result.alternatives.end());
    for (Reason& reason : result.reasons)
      if (std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) ==
          verdict.reasons.end())
        verdict.reasons.push_back(std::move(reason));
    judgement.pod_sets.push_back(std::move(result.report));
  }
  return judgement;
}

}  // namespace fedra::dra
