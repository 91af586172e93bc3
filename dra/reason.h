#pragma once
//
// Why a worker cannot, or may not, run a workload: a closed catalogue. Every code has a documented
// cause and remedy (`fedra explain CODE`, docs/reasons.md); every Reason names an object or counts
// something.
//
// Thread rules: plain values and constant tables.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fedra::dra {

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
  kNodeResources,
  kPodsDoNotFit,
  // Other
  kCapabilityUndeclared,
  kSchedulerUnverified,
  kStaleData,
  kBudgetExceeded,
  kExcluded,
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
// Exact name; null-like when unknown.
std::optional<ReasonCode> ParseReasonCode(std::string_view name);

// One thing that stands against a worker.
struct Reason {
  ReasonCode code = ReasonCode::kStaleData;
  std::string object;   // "ResourceClaimTemplate ml/one-gpu"; may be empty when the message counts
  std::string message;  // a whole sentence without final dot: "ResourceClaimTemplate ml/one-gpu
                        // does not exist there"

  bool operator==(const Reason&) const = default;
};

}  // namespace fedra::dra
