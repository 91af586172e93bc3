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
#include <vector>

#include "base/quantity.h"

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
  kPodsDoNotFit,
  // Other
  kCapabilityUndeclared,
  kSchedulerUnverified,
  kStaleData,
  kBudgetExceeded,
  kExcluded,
  kWorkerRemoved,
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

// Devices of which the same is to be said.
struct CountedCause {
  std::string what;  // "other driver", "allocated (ml/a-gpu, ml/b-gpu and 6 more)", a selector
  int devices = 0;

  bool operator==(const CountedCause&) const = default;
};

// All devices of a worker, by what stands against them for one request.
struct DeviceCounts {
  std::string wish;  // "request gpu of claim gpu wants 1 of class gpu.example.com on one node"
  int devices = 0;   // in all; the parts add up to it
  std::vector<CountedCause> parts;

  // "24 devices: 8 other driver, 16 free"; "no devices" without any.
  std::string ToString() const;
  bool operator==(const DeviceCounts&) const = default;
};

// What nodes have too little of for a pod.
struct ResourceShortage {
  std::string resource;  // "cpu"; "pods": the nodes take no more of them
  Quantity asked;        // by one pod
  Quantity free;         // the most that is free on one of these nodes
  Quantity largest;      // the most that one of these nodes has in all
  int nodes = 0;         // that lack it

  // "each pod asks for 4000 cpu, the largest node has 64".
  std::string AgainstLargest() const;
  // "each pod asks for 8 cpu, at most 3 is free on one node".
  std::string AgainstFree() const;
  bool operator==(const ResourceShortage&) const = default;
};

// An amount of a resource as people write it: "4000" and not "4k" for cpu, "62.8Gi" for memory
// that the node counts in Ki (rounded down).
std::string ReadableAmount(std::string_view resource, const Quantity& amount);

// One thing that stands against a worker.
struct Reason {
  ReasonCode code = ReasonCode::kStaleData;
  std::string object;   // "ResourceClaimTemplate ml/one-gpu"; may be empty when the message counts
  std::string message;  // a whole sentence without final dot: "ResourceClaimTemplate ml/one-gpu
                        // does not exist there"
  // What the message counts, for programs and tables; then the message is their wish and their
  // text.
  std::optional<DeviceCounts> counts = std::nullopt;
  // What nodes lack, for programs; the message says it in words.
  std::vector<ResourceShortage> resources = {};
  // The message without names from other namespaces than the job's; empty: it has none.
  std::string for_tenants = {};

  // The message for API objects in the job's namespace, which its tenants read.
  const std::string& ForTenants() const { return for_tenants.empty() ? message : for_tenants; }

  // Refused for these counts. `for_tenants`: the parts without names from other namespaces.
  static Reason Counting(ReasonCode code, std::string object, DeviceCounts counts,
                         const std::vector<CountedCause>& for_tenants);
  // Says more, at the end of the message and of the wish.
  void Append(const std::string& more);

  bool operator==(const Reason&) const = default;
};

}  // namespace fedra::verdict
