#include "manager/placement/remembered.h"

namespace fedra::placement {

std::vector<Failure> FailuresOf(const std::vector<store::PlacementFailure>& remembered) {
  std::vector<Failure> failures;
  for (const store::PlacementFailure& failure : remembered) {
    failures.push_back({.cluster = failure.cluster,
                        .reason = verdict::ParseReasonCode(failure.reason)
                                      .value_or(verdict::ReasonCode::kRecentlyFailed),
                        .at = failure.at,
                        .message = failure.message,
                        .refused = failure.refused,
                        .times = failure.times});
  }
  return failures;
}

}  // namespace fedra::placement
