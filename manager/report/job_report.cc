#include "manager/report/job_report.h"

#include <algorithm>

#include "manager/placement/rank.h"

namespace fedra::report {

verdict::Outcome BestOutcome(const JobReport& report) {
  verdict::Outcome best = verdict::Outcome::kNo;
  for (const JobVerdict& item : report.verdicts) best = std::min(best, item.verdict.outcome);
  return best;
}

std::vector<ClusterName> PreferredWorkers(const JobReport& report) {
  std::vector<placement::ClusterView> workers;
  for (const JobVerdict& item : report.verdicts) {
    placement::ClusterView& worker = workers.emplace_back();
    worker.name = item.worker;
    worker.contact = placement::Contact::kFull;
    worker.verdict = item.verdict;
  }
  placement::Policy policy;
  policy.unknown = placement::UnknownPolicy::kNever;
  std::vector<ClusterName> names;
  for (const placement::ClusterView* worker : placement::Rank(workers, {}, policy, {}))
    names.push_back(worker->name);
  return names;
}

}  // namespace fedra::report
