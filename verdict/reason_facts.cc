#include "verdict/reason_facts.h"

#include <algorithm>
#include <variant>

#include "verdict/fact_fields.h"

namespace fedra::verdict {
namespace {

template <class... Types>
std::vector<std::string_view> Named() {
  return {kFactTypes[Facts(Types{}).index()]...};
}

}  // namespace

// No default: who adds a code says here what comes with it.
// NOLINTNEXTLINE(readability-function-size): a table
std::vector<std::string_view> FactTypesOf(ReasonCode code) {
  using enum ReasonCode;
  switch (code) {
    case kClusterUnreachable:
    case kClusterMisconfigured:
    case kCredentialsRejected:
    case kCertificateUntrusted:
    case kKueueDisconnected:
      return Named<Connection>();
    case kForbidden:
      return Named<Unreadable, Missing, Connection>();
    case kApiMissing:
      return Named<Unreadable>();
    case kApiVersionOld:
      return Named<ApiVersion, BroadTaintRules>();
    case kNamespaceMissing:
    case kQueueMissing:
    case kDeviceClassMissing:
    case kTemplateMissing:
      return Named<Missing>();
    case kQueueInactive:
      return Named<QueueInactive>();
    case kQueueStopped:
      return Named<QueueStopped>();
    case kQueueCannotHold:
    case kQueueFull:
      return Named<Quota>();
    case kKindMissing:
      return Named<Unreadable>();
    case kTemplateDrift:
      return Named<Drift>();
    case kClaimMissing:
      return Named<Missing, Unbindable>();
    case kClaimElsewhere:
      return Named<ClaimPlace>();
    case kNameConflict:
      return Named<NameTaken>();
    case kDependencyMissing:
      return Named<Missing, MissingLabel>();
    case kGangIncomplete:
      return Named<Gang>();
    case kDriverMissing:
    case kNoMatchingDevice:
      return Named<DeviceCounts, AlternativeCounts>();
    case kPoolIncomplete:
      return Named<DeviceCounts, AlternativeCounts, SchedulerError>();
    case kNotEnoughDevices:
    case kDeviceTainted:
      return Named<DeviceCounts, AlternativeCounts, JointShortage>();
    case kCapacityExhausted:
      return Named<DeviceCounts, AlternativeCounts, JointShortage, FullClaim>();
    case kDevicesAllocated:
      return Named<DeviceCounts, AlternativeCounts, JointShortage, Reserved>();
    case kInLine:
      return Named<InLine>();
    case kConstraintUnsatisfied:
    case kCountersExhausted:
      return Named<JointShortage>();
    case kSelectorError:
      return Named<DeviceCounts, AlternativeCounts, BrokenSelector, SchedulerError>();
    case kAllocationError:
      return Named<SchedulerError>();
    case kNodeMismatch:
      return Named<NodeCounts, DeviceCounts, AlternativeCounts, Unbindable>();
    case kResourceMissing:
      return Named<NoSuchResource>();
    case kNodesTooSmall:
    case kNodeResources:
      return Named<NodeRoom>();
    case kPodPlacement:
      return Named<EarlierPods>();
    case kPodsDoNotFit:
      return Named<PodsFit, ReleaseDoubt>();
    case kCapabilityUndeclared:
      return Named<Undeclared>();
    case kSchedulerUnverified:
      return Named<OtherScheduler>();
    case kGroupUnverified:
      return Named<GroupTerms>();
    case kReleaseUnverified:
    case kReleaseUnknown:
      return Named<ReleaseDoubt>();
    case kPodUnverified:
      return Named<PodTerms>();
    case kStaleData:
      return Named<Unreadable, Connection>();
    case kBudgetExceeded:
      return Named<SearchLimit, PodsFit>();
    case kExcluded:
    case kWorkerRemoved:
      return Named<NotAllowed>();
    case kWorkerCordoned:
      return Named<Cordoned>();
    case kMovedAway:
      return Named<MovedAway>();
    case kRecentlyFailed:
      return Named<Setback>();
  }
  return {};
}

std::string_view TypeOf(const Facts& facts) { return kFactTypes[facts.index()]; }

bool AreOf(const Facts& facts, ReasonCode code) {
  const auto types = FactTypesOf(code);
  return std::find(types.begin(), types.end(), TypeOf(facts)) != types.end();
}

}  // namespace fedra::verdict
