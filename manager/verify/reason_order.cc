#include "manager/verify/reason_order.h"

#include <algorithm>

namespace fedra::verify {

// NOLINTNEXTLINE(readability-function-size): a table
Hindrance HindranceOf(verdict::ReasonCode code) {
  using enum verdict::ReasonCode;
  switch (code) {
    case kClusterUnreachable:
    case kClusterMisconfigured:
    case kCredentialsRejected:
    case kCertificateUntrusted:
    case kForbidden:
    case kApiMissing:
    case kApiVersionOld:
    case kExcluded:
    case kWorkerRemoved:
    case kWorkerCordoned:
    case kKueueDisconnected:
      return Hindrance::kUnreached;
    case kNamespaceMissing:
    case kQueueMissing:
    case kQueueInactive:
    case kQueueStopped:
    case kQueueCannotHold:
    case kKindMissing:
    case kDeviceClassMissing:
    case kTemplateMissing:
    case kTemplateDrift:
    case kClaimMissing:
    case kNameConflict:
    case kDependencyMissing:
    case kGangIncomplete:
    case kDriverMissing:
    case kNoMatchingDevice:
    case kNotEnoughDevices:
    case kSelectorError:
    case kAllocationError:
    case kNodeMismatch:
    case kResourceMissing:
    case kNodesTooSmall:
    case kDeviceTainted:
    case kCapabilityUndeclared:
    case kSchedulerUnverified:
    case kGroupUnverified:
    case kReleaseUnverified:
    case kBudgetExceeded:
      return Hindrance::kUntilChanged;
    case kPodPlacement:
    case kConstraintUnsatisfied:
    case kCountersExhausted:
    case kCapacityExhausted:
    case kRecentlyFailed:
    case kMovedAway:
      return Hindrance::kUnclear;
    case kDevicesAllocated:
    case kNodeResources:
    case kQueueFull:
    case kInLine:
    case kClaimElsewhere:
    case kPoolIncomplete:
    case kStaleData:
      return Hindrance::kUntilFree;
    case kPodsDoNotFit:
    case kPodUnverified:
    case kReleaseUnknown:
      return Hindrance::kDetail;
  }
  return Hindrance::kUnclear;  // a code of a later release
}

Prospect ProspectOf(std::span<const verdict::ReasonCode> codes) {
  const auto has = [&](Hindrance hindrance) {
    return std::any_of(codes.begin(), codes.end(),
                       [&](verdict::ReasonCode code) { return HindranceOf(code) == hindrance; });
  };
  if (has(Hindrance::kUntilChanged)) return Prospect::kNever;
  const bool excluded = std::any_of(codes.begin(), codes.end(), [](verdict::ReasonCode code) {
    return code == verdict::ReasonCode::kExcluded || code == verdict::ReasonCode::kWorkerRemoved;
  });
  if (excluded) return Prospect::kNever;
  if (has(Hindrance::kUnreached) || has(Hindrance::kUnclear)) return Prospect::kUnclear;
  return has(Hindrance::kUntilFree) ? Prospect::kWaits : Prospect::kUnclear;
}

void OrderReasons(verdict::Verdict& verdict) {
  std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                   [](const verdict::Reason& a, const verdict::Reason& b) {
                     return HindranceOf(a.code) < HindranceOf(b.code);
                   });
}

}  // namespace fedra::verify
