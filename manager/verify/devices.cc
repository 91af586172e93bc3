#include "manager/verify/devices.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra::verify {
namespace {

using dra::Outcome;
using dra::Reason;
using dra::ReasonCode;

// The verdict when nothing can be said about devices.
std::optional<dra::Verdict> ObstacleFor(const DevicePicture& picture,
                                        const tracking::Demands& demands) {
  std::optional<Reason> reason;
  if (demands == nullptr) {
    reason = Reason{ReasonCode::kStaleData, "", "a pod template of the workload cannot be read"};
  } else {
    reason = picture.Obstacle();
  }
  if (!reason) return std::nullopt;
  dra::Verdict verdict;
  verdict.outcome = reason->code == ReasonCode::kApiMissing ? Outcome::kNo : Outcome::kUnknown;
  verdict.reasons.push_back(*std::move(reason));
  return verdict;
}

}  // namespace

dra::Judgement JudgeDevices(const DevicePicture& picture, const std::string& ns,
                            const tracking::Demands& demands,
                            std::vector<dra::InFlightPods> in_flight,
                            const TemplatesToCome& to_come) {
  if (auto obstacle = ObstacleFor(picture, demands))
    return {.verdict = *std::move(obstacle), .pod_sets = {}};
  return picture.Judge(ns, *demands, std::move(in_flight), to_come);
}

dra::Verdict VerifyDevices(const DevicePicture& picture, const std::string& ns,
                           const tracking::Demands& demands,
                           std::vector<dra::InFlightPods> in_flight,
                           const TemplatesToCome& to_come) {
  if (auto obstacle = ObstacleFor(picture, demands)) return *std::move(obstacle);
  return picture.Verdict(ns, demands, std::move(in_flight), to_come);
}

dra::Verdict Combine(dra::Verdict main, dra::Verdict other) {
  if (other.outcome > main.outcome) {
    main.outcome = other.outcome;
    main.reasons.swap(other.reasons);
  }
  main.reasons.insert(main.reasons.end(), std::make_move_iterator(other.reasons.begin()),
                      std::make_move_iterator(other.reasons.end()));
  return main;
}

dra::Verdict ElsewhereVerdict(const ObjectKey& claim, const ClaimPlace& place) {
  const std::string object = "ResourceClaim " + claim.ToString();
  std::vector<std::string_view> names;
  for (const ClusterName& worker : place.workers) names.push_back(worker.value);
  const std::string where =
      names.empty() ? "waits" : fmt::format("belongs to {}", fmt::join(names, ", "));
  dra::Verdict verdict;
  verdict.outcome = Outcome::kNo;
  verdict.reasons.push_back(
      {ReasonCode::kClaimElsewhere, object, fmt::format("{} {}: {}", object, where, place.why)});
  return verdict;
}

}  // namespace fedra::verify
