#pragma once
//
// What rules out a worker's devices, as facts and in counts. verdict/reason_text.h puts them
// into words.
//
// A text in here is a name, a selector or an error of the scheduler's. Plain values; fact_fields.h
// names every field for programs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/types.h"
#include "verdict/reason_code.h"

namespace fedra::verdict {

// The first rule by which a device cannot be taken; kFree: none.
enum class Rule {
  kUnusablePool,
  kOtherDriver,
  kClassSelector,
  kRequestSelector,
  kSelectorError,
  kOtherNode,
  kTaint,
  kAllocated,
  kReserved,  // for workloads that were dispatched and do not hold them yet
  kTaken,     // by pods of the same workload
  kGroups,    // its compatibility groups do not go with the devices in use
  kCapacity,
  kFree,
};

// What a device has too little of. All that a device publishes of it, when nothing of it is left.
struct CapacityNeed {
  std::string capacity;
  Quantity need;
  std::optional<Quantity> left;  // absent: the device has none
  bool refused = false;          // it gives no such amount
  std::string device;

  bool operator==(const CapacityNeed&) const = default;
};

// Who holds devices: a job, or a claim of no known job.
struct Holder {
  bool is_job = false;
  ObjectKey name;

  bool operator==(const Holder&) const = default;
  auto operator<=>(const Holder&) const = default;
};

// Devices of which the same is to be said.
struct CountedCause {
  Rule rule = Rule::kFree;
  int devices = 0;
  // A selector; an error; "NoSchedule maintenance (DeviceTaintRule maint)"; what is wrong with the
  // pools; a counter set. Empty for the other rules.
  std::string detail = {};
  std::vector<Holder> holders = {};      // of kAllocated: the first, and the first of the job's own
  size_t all_holders = 0;                // how many there are; 0: not known
  std::vector<CapacityNeed> needs = {};  // of kCapacity: of the device with most left; may be empty

  bool operator==(const CountedCause&) const = default;
};

// What a request asks for, per pod.
struct RequestedDevices {
  std::string request;  // "gpu", "gpu/large"
  std::string claim;    // "ResourceClaim ml/shared", "claim gpu (template large-only)"
  std::string device_class;
  int64_t count = 0;  // on one node
  bool all = false;   // of the node's, instead of a count

  bool operator==(const RequestedDevices&) const = default;
};

// What would fit with every device free.
struct WithAllFree {
  int fitting = 0;
  int wanted = 0;  // pods

  bool operator==(const WithAllFree&) const = default;
};

// What waiting will not bring. Absent: nothing is known of that, or nothing is held.
struct Shortfall {
  int pods = 0;
  int64_t needed = 0;  // devices, by all of them
  int there = 0;
  bool are_all = false;  // there are no others; else these are untainted and on usable nodes

  bool operator==(const Shortfall&) const = default;
};

// All devices of a worker, by what rules them out for one request.
struct DeviceCounts {
  RequestedDevices requested;
  int devices = 0;  // in all; the parts add up to it
  std::vector<CountedCause> parts;
  std::optional<Shortfall> shortfall = std::nullopt;
  std::optional<WithAllFree> with_all_free = std::nullopt;

  bool operator==(const DeviceCounts&) const = default;
};

// A request of which no alternative can be had.
struct AlternativeCounts {
  struct Alternative {
    ReasonCode code = ReasonCode::kNoMatchingDevice;
    DeviceCounts counts;

    bool operator==(const Alternative&) const = default;
  };

  std::string request;
  std::string claim;                                  // as in RequestedDevices
  std::vector<Alternative> alternatives;              // the first few
  size_t all = 0;                                     // how many there are
  std::optional<Shortfall> shortfall = std::nullopt;  // of the nearest
  std::optional<WithAllFree> with_all_free = std::nullopt;

  bool operator==(const AlternativeCounts&) const = default;
};

// A selector that no device can be tried with.
struct BrokenSelector {
  std::string request;
  std::string claim;  // as in RequestedDevices
  std::string error;

  bool operator==(const BrokenSelector&) const = default;
};

// Requests that could each be had alone, and not together on one node.
struct JointShortage {
  enum class Cause {
    kConstraints,
    kCounters,
    kGroups,  // compatibility groups
    kTaints,
    kCapacity,
    kAllocated,  // by others
    kTaken,      // by others, and by pods of the job
    kNoNode,     // no single node has all
  };
  // What devices need of a shared counter, or of their capacity.
  struct Amount {
    int devices = 0;
    std::string counter = {};  // "set/counter"; empty: `need.device` has a capacity
    CapacityNeed need;
    bool for_all = false;  // each alone has enough

    bool operator==(const Amount&) const = default;
  };
  // How many devices one request finds.
  struct Found {
    std::string request;
    std::string claim;  // as in RequestedDevices; empty: the pod has one claim
    int free = 0;       // no more than were asked for
    int64_t count = 0;
    bool all = false;

    bool operator==(const Found&) const = default;
  };

  Cause cause = Cause::kNoNode;
  std::string node;
  bool with_room = false;                     // of kNoNode: other nodes have no room
  std::vector<std::string> constraints = {};  // each alone is in the way; empty: all together
  std::vector<Amount> amounts = {};
  std::vector<Found> found = {};  // of the first few requests
  size_t requests = 0;            // in all
  bool each_alone = false;        // every request finds enough
  std::optional<WithAllFree> with_all_free = std::nullopt;

  bool operator==(const JointShortage&) const = default;
};

}  // namespace fedra::verdict
