#include "manager/verify/devices.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;

// The verdict when nothing can be said about devices.
std::optional<verdict::Verdict> ObstacleFor(const DeviceState& view, const std::string& ns,
                                            const tracking::Demands& demands) {
  std::optional<Reason> reason;
  if (demands == nullptr) {
    reason = Reason{ReasonCode::kStaleData, "",
                    verdict::Unreadable{.resource = "pod template",
                                        .cause = verdict::Unreadable::Cause::kMalformed,
                                        .error = {}}};
  } else {
    reason = view.obstacles().Lists();
    if (!reason) reason = view.obstacles().Groups(ns, *demands);
  }
  if (!reason) return std::nullopt;
  const bool is_certain = reason->code == ReasonCode::kApiMissing ||
                          reason->code == ReasonCode::kDependencyMissing ||
                          reason->code == ReasonCode::kGangIncomplete;
  verdict::Verdict verdict;
  verdict.outcome = is_certain ? Outcome::kNo : Outcome::kUnknown;
  verdict.reasons.push_back(*std::move(reason));
  return verdict;
}

// A No that may come from rules which taint fewer devices than they are taken to is not certain,
// nor is a Yes for pods whose PodGroup demands more than was looked at.
verdict::Verdict WithUncertainty(const DeviceState& view, const std::string& ns,
                                 const tracking::Demands& demands, verdict::Verdict verdict) {
  if (verdict.outcome == Outcome::kUnknown) return verdict;
  auto uncertain = view.obstacles().RuleDoubt();
  if (!uncertain)
    uncertain = verdict.outcome == Outcome::kNo ? view.obstacles().Uncertainty()
                                                : view.obstacles().UnreadTerms(ns, *demands);
  if (!uncertain) return verdict;
  verdict.outcome = Outcome::kUnknown;
  verdict.reasons.insert(verdict.reasons.begin(), *std::move(uncertain));
  return verdict;
}

}  // namespace

dra::Judgement JudgeDevices(const DeviceState& view, const std::string& ns,
                            const tracking::Demands& demands, const dra::AssumedList& assumed,
                            const TemplatesToCome& to_come) {
  if (auto obstacle = ObstacleFor(view, ns, demands))
    return {.verdict = *std::move(obstacle), .pod_sets = {}};
  dra::Judgement judgement = view.judge().Judge(ns, *demands, assumed, to_come);
  judgement.verdict = WithUncertainty(view, ns, demands, std::move(judgement.verdict));
  return judgement;
}

verdict::Verdict VerifyDevices(const DeviceState& view, const std::string& ns,
                               const tracking::Demands& demands, const dra::AssumedList& assumed,
                               const TemplatesToCome& to_come) {
  if (auto obstacle = ObstacleFor(view, ns, demands)) return *std::move(obstacle);
  return WithUncertainty(view, ns, demands, view.judge().Verdict(ns, demands, assumed, to_come));
}

verdict::Verdict Combine(verdict::Verdict main, verdict::Verdict other) {
  main.fits_when_free = main.fits_when_free && other.outcome == Outcome::kYes;
  if (other.outcome > main.outcome) {
    main.outcome = other.outcome;
    main.reasons.swap(other.reasons);
  }
  for (Reason& reason : other.reasons) {
    if (std::find(main.reasons.begin(), main.reasons.end(), reason) == main.reasons.end())
      main.reasons.push_back(std::move(reason));
  }
  return main;
}

}  // namespace fedra::verify
