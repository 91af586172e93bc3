#include "manager/verify/devices.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra::verify {
namespace {

using dra::Outcome;
using dra::Reason;
using dra::ReasonCode;

}  // namespace

dra::Judgement JudgeDevices(const DevicePicture& picture, const std::string& ns,
                            const tracking::Demands& demands,
                            std::vector<dra::InFlightPods> in_flight,
                            const TemplatesToCome& to_come) {
  dra::Judgement judgement;
  if (demands == nullptr) {
    judgement.verdict.outcome = Outcome::kUnknown;
    judgement.verdict.reasons.push_back(
        {ReasonCode::kStaleData, "", "a pod template of the workload cannot be read"});
    return judgement;
  }
  if (auto obstacle = picture.Obstacle()) {
    judgement.verdict.outcome =
        obstacle->code == ReasonCode::kApiMissing ? Outcome::kNo : Outcome::kUnknown;
    judgement.verdict.reasons.push_back(*std::move(obstacle));
    return judgement;
  }
  return *picture.Judge(ns, demands, std::move(in_flight), to_come);
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
  dra::Verdict verdict;
  verdict.outcome = Outcome::kNo;
  verdict.reasons.push_back(
      {ReasonCode::kClaimElsewhere, object,
       fmt::format("{} belongs to {}: {}", object, place.worker.value, place.why)});
  return verdict;
}

}  // namespace fedra::verify
