#pragma once
//
// Why a worker cannot, or may not, run a workload: a closed catalogue. Every code has a documented
// cause and remedy (`fedra explain CODE`, docs/reasons.md).
//
// Thread rules: plain values and constant tables.

#include <optional>
#include <span>
#include <string_view>

namespace fedra::verdict {

enum class ReasonCode {
  // Reachability
  kClusterUnreachable,
  kClusterMisconfigured,
  kCredentialsRejected,
  kCertificateUntrusted,
  // Access
  kForbidden,
  kApiMissing,
  kApiVersionOld,
  // Objects
  kNamespaceMissing,
  kQueueMissing,
  kQueueInactive,
  kQueueStopped,
  kQueueCannotHold,
  kQueueFull,
  kKindMissing,
  kDeviceClassMissing,
  kTemplateMissing,
  kTemplateDrift,
  kClaimMissing,
  kClaimElsewhere,
  kNameConflict,
  kDependencyMissing,
  kGangIncomplete,
  // Devices
  kDriverMissing,
  kPoolIncomplete,
  kNoMatchingDevice,
  kNotEnoughDevices,
  kDevicesAllocated,
  kInLine,
  kConstraintUnsatisfied,
  kCountersExhausted,
  kCapacityExhausted,
  kDeviceTainted,
  kSelectorError,
  kAllocationError,
  kNodeMismatch,
  kResourceMissing,
  kNodesTooSmall,
  kNodeResources,
  kPodPlacement,
  kPodsDoNotFit,
  // Other
  kCapabilityUndeclared,
  kSchedulerUnverified,
  kGroupUnverified,
  kReleaseUnverified,
  kReleaseUnknown,
  kPodUnverified,
  kStaleData,
  kBudgetExceeded,
  kExcluded,
  kWorkerRemoved,
  kWorkerCordoned,
  kMovedAway,
  kKueueDisconnected,
  kRecentlyFailed,
};

// One entry of the catalogue.
struct ReasonEntry {
  ReasonCode code;
  std::string_view name;     // "TemplateMissing": stable, for machines and metrics labels
  std::string_view group;    // "Reachability", "Access", "Objects", "Devices", "Other"
  std::string_view summary;  // one line: what it means
  std::string_view cause;    // what leads to it, for a person
  std::string_view remedy;   // what to do, with commands where there are some
};

// In the order of the enumeration.
std::span<const ReasonEntry> ReasonCatalogue();
std::string_view ToString(ReasonCode code);
// By the exact name; nullopt: no reason is called that.
std::optional<ReasonCode> ParseReasonCode(std::string_view name);

}  // namespace fedra::verdict
