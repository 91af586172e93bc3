#pragma once
//
// The resource.k8s.io objects as plain values: exactly the fields that decide an allocation, in the
// shape of v1 whatever version they were read in (dra/model/parse.h), and stored compactly: names
// are interned, and what equal devices have in common is stored once.
//
// Thread rules: plain values; everything behind a shared_ptr is immutable.
// Source: k8s.io/api resource/v1 of Kubernetes 1.36.3.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "base/types.h"
#include "dra/model/symbol.h"

namespace fedra::dra {

// ---- devices

// A version attribute. Compared as text by constraints ("1.0.0+a" differs from "1.0.0+b").
struct VersionName {
  Symbol text;
  bool operator==(const VersionName&) const = default;
};

// A list attribute (gate DRAListTypeAttributes, alpha). The elements are of one kind.
using ScalarValue = std::variant<int64_t, bool, Symbol, VersionName>;
struct ListValue {
  std::vector<ScalarValue> items;
  bool operator==(const ListValue&) const = default;
};
using ListPointer = std::shared_ptr<const ListValue>;

// monostate: a value of a kind that we do not know; it makes every selector on the device an error.
using AttributeValue =
    std::variant<std::monostate, int64_t, bool, Symbol, VersionName, ListPointer>;
bool SameValue(const AttributeValue& a, const AttributeValue& b);  // lists by content

struct Attribute {
  Symbol name;  // as published: bare or "domain/id"
  AttributeValue value;
  bool operator==(const Attribute& other) const {
    return name == other.name && SameValue(value, other.value);
  }
};

// What a device may ask of one of its capacities (allowMultipleAllocations only).
struct RequestPolicy {
  struct Range {
    std::optional<Quantity> min, max, step;
    bool operator==(const Range&) const = default;
  };
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;  // ascending
  std::optional<Range> valid_range;
  bool operator==(const RequestPolicy&) const = default;
};

struct Capacity {
  Symbol name;  // as published
  Quantity value;
  std::optional<RequestPolicy> policy;
  bool operator==(const Capacity&) const = default;
};

// Effects other than these two never prevent an allocation.
enum class TaintEffect : uint8_t { kOther, kNoSchedule, kNoExecute };

struct Taint {
  Symbol key;
  Symbol value;
  TaintEffect effect = TaintEffect::kOther;
  Symbol effect_text;  // as published, for messages and for tolerations of an unknown effect
  Symbol rule;         // the DeviceTaintRule it comes from; empty: the driver has published it
  bool operator==(const Taint&) const = default;
};

struct Counter {
  Symbol name;
  Quantity value;
  bool operator==(const Counter&) const = default;
};

// Both a published counter set and what a device takes of one.
struct CounterSet {
  Symbol name;
  std::vector<Counter> counters;
  // Of a device: its compatibilityGroups, ascending. Devices may take of one set together when they
  // have a group in common, or none has any (gate DRADeviceCompatibilityGroups, alpha in 1.37).
  std::vector<Symbol> groups = {};
  bool operator==(const CounterSet&) const = default;
};

// A core/v1 requirement on labels or on the field metadata.name.
struct NodeRequirement {
  Symbol key;
  Symbol op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt; anything else is an error when evaluated
  std::vector<Symbol> values;
  bool operator==(const NodeRequirement&) const = default;
};
struct NodeSelectorTerm {
  std::vector<NodeRequirement> expressions;
  std::vector<NodeRequirement> fields;
  bool operator==(const NodeSelectorTerm&) const = default;
};
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  bool operator==(const NodeSelector&) const = default;
};

// Which nodes can reach a slice, or a device of a slice with per-device selection.
struct NodeReach {
  Symbol node_name;  // empty: not bound to one node
  bool all_nodes = false;
  std::shared_ptr<const NodeSelector> selector;  // null: none

  // Nothing is set: for a slice, a node selection of a future API.
  bool empty() const { return node_name.empty() && !all_nodes && !selector; }
  bool operator==(const NodeReach& other) const;  // selectors by content
};

// How much of a resource of its node a device takes when it is allocated (KEP-5517, gate
// DRANodeAllocatableResources, alpha): nodeAllocatableResourceMappings of 1.36, or the mapping of
// nodeAllocatableResources of 1.37.
struct NodeMapping {
  Symbol resource;                     // "cpu", "memory", "ephemeral-storage" or huge pages
  Symbol capacity;                     // of which consumed amounts count; empty: the device counts
  std::optional<Quantity> multiplier;  // of either; absent: 1 of a capacity, nothing of a device
  bool exclusive = false;              // the form of 1.37: one pod only may use the claim
  bool operator==(const NodeMapping&) const = default;
};

// What it takes beside that, by 1.37: for each pod that uses its claim, and for each time that a
// container of the pod names it.
struct NodeOverhead {
  Symbol resource;
  std::optional<Quantity> per_pod, per_container;
  bool operator==(const NodeOverhead&) const = default;
};

// What few devices have. Shared by all devices of equal content.
struct DeviceExtras {
  std::vector<Taint> taints;
  NodeReach reach;  // only with per-device node selection
  bool binds_to_node = false;
  std::vector<Symbol> binding_conditions;
  std::vector<NodeMapping> of_node;    // ascending by resource
  std::vector<NodeOverhead> overhead;  // ascending by resource
  bool operator==(const DeviceExtras&) const = default;
};

using AttributeList = std::vector<Attribute>;  // ascending by name
using CapacityList = std::vector<Capacity>;    // ascending by name

struct Device {
  Symbol name;
  std::shared_ptr<const AttributeList> common;   // equal in all devices of the slice; may be null
  AttributeList own;                             // the others
  std::shared_ptr<const CapacityList> capacity;  // null: none
  std::shared_ptr<const std::vector<CounterSet>> consumes;  // null: none
  std::shared_ptr<const DeviceExtras> extras;               // null: none
  std::optional<bool> allow_multiple;                       // allowMultipleAllocations

  // The attribute of exactly this published name.
  const AttributeValue* Find(std::string_view published_name) const;
  // A fully qualified name as constraints use it: exactly, or, in the driver's own domain, bare.
  const AttributeValue* FindQualified(std::string_view qualified, std::string_view driver) const;
};

struct PoolKey {
  Symbol driver;
  Symbol pool;
  auto operator<=>(const PoolKey&) const = default;
  bool operator==(const PoolKey&) const = default;
  std::string ToString() const { return driver.str() + "/" + pool.str(); }
};

struct Slice {
  Symbol name;
  PoolKey pool;
  int64_t generation = 0;
  int64_t pool_slices = 0;      // resourceSliceCount
  NodeReach reach;              // nodeName, allNodes or nodeSelector of the slice
  bool per_device = false;      // perDeviceNodeSelection
  bool has_per_device = false;  // the field is present, even if false
  std::vector<Device> devices;
  std::vector<CounterSet> counters;  // sharedCounters
  // skipNodeOperations (gate DRAOptionalNodeOperations, alpha in 1.37): its devices are for nodes
  // that declare this feature.
  bool skips_operations = false;
  // Its place in the list that the scheduler goes through, where that is known (judge-lines). A
  // scheduler's cache has none: its order is that of a Go map.
  uint64_t position = 0;
  uint64_t serial = 0;  // given by the SnapshotBuilder: unique, and new with every change
};

// ---- classes and claims

struct DeviceClass {
  Symbol name;
  std::vector<Symbol> selectors;      // CEL expressions; an entry may be of an unknown kind
  std::vector<bool> selector_is_cel;  // parallel: false = a selector kind of a future API
  Symbol extended_resource;           // spec.extendedResourceName; empty: none
  std::string created;                // metadata.creationTimestamp (RFC 3339, UTC): ties of names
  bool operator==(const DeviceClass&) const = default;
};

enum class AllocationMode : uint8_t { kExactCount, kAll, kUnknown };

struct Toleration {
  Symbol key;  // empty: every key
  Symbol op;   // "" means Equal
  Symbol value;
  Symbol effect;  // empty: every effect

  bool operator==(const Toleration&) const = default;
};

// One request, or one alternative of a firstAvailable request.
struct DeviceRequest {
  Symbol name;
  Symbol device_class;
  std::vector<Symbol> selectors;
  std::vector<bool> selector_is_cel;
  AllocationMode mode = AllocationMode::kUnknown;
  Symbol mode_text;                  // as written, for messages
  int64_t count = 0;                 // for kExactCount
  std::optional<bool> admin_access;  // absent and false differ when the feature is off
  std::vector<Toleration> tolerations;
  std::vector<std::pair<Symbol, Quantity>> capacity;  // capacity.requests, ascending by name
  bool has_capacity = false;                          // `capacity` is present
  // derivedAttributes: a qualified name, and the CEL expression for its value in constraints (gate
  // DRADerivedAttributes, alpha in 1.37).
  std::vector<std::pair<Symbol, Symbol>> derived;
  bool operator==(const DeviceRequest&) const = default;
};

struct ClaimRequest {
  Symbol name;
  std::optional<DeviceRequest> exactly;
  std::vector<DeviceRequest> first_available;
  bool operator==(const ClaimRequest&) const = default;
};

struct Constraint {
  std::vector<Symbol> requests;  // "req" or "req/sub"; empty: all
  Symbol match_attribute;        // one of both; with both set the first counts (seen in 1.36.3)
  Symbol distinct_attribute;
  bool operator==(const Constraint&) const = default;
};

struct ClaimSpec {
  std::vector<ClaimRequest> requests;
  std::vector<Constraint> constraints;
  bool operator==(const ClaimSpec&) const = default;
};

struct AllocatedDevice {
  Symbol request;  // "req" or "req/sub"
  PoolKey pool;
  Symbol device;
  bool admin_access = false;
  std::optional<Symbol> share;  // shareID: shared, not dedicated
  std::optional<std::vector<std::pair<Symbol, Quantity>>> consumed;  // consumedCapacity
  bool skips_operations = false;                                     // as Slice::skips_operations
  bool operator==(const AllocatedDevice&) const = default;
};

struct Allocation {
  std::vector<AllocatedDevice> devices;
  std::shared_ptr<const NodeSelector> node_selector;  // null: usable on every node
  bool has_timestamp = false;  // without it no further pod can be bound (seen in 1.36.3)
  // Why binding the devices failed, for good: "AttachFailed of device D/P/A". Empty: it has not.
  std::string binding_failure;
};

struct Claim {
  ObjectKey key;
  std::string uid;
  ClaimSpec spec;
  std::optional<Allocation> allocation;
  std::vector<std::string> reserved_for;  // UIDs of the consumers
  bool deleting = false;
};

struct ClaimTemplate {
  ObjectKey key;
  std::string uid;
  std::shared_ptr<const ClaimSpec> spec;
};

struct TaintRule {
  std::string name;
  Symbol driver, pool, device;  // empty: every
  // Without deviceSelector. It taints nothing, or everything
  // (AllocatorFeatures::empty_rules_taint).
  bool is_empty = false;
  // It also selects by class or by CEL selectors, as v1alpha3 allowed up to Kubernetes 1.34. Those
  // are not evaluated: the rule is taken to taint every device that the fields above name.
  bool taints_fewer = false;
  Taint taint;
  bool operator==(const TaintRule&) const = default;
};

// ---- the parts of core/v1 that decide where a pod may run

struct NodeTaint {
  Symbol key, value, effect;
  bool operator==(const NodeTaint&) const = default;
};

struct Node {
  Symbol name;
  std::vector<std::pair<Symbol, Symbol>> labels;  // ascending by key
  std::vector<NodeTaint> taints;
  bool unschedulable = false;
  std::vector<std::pair<Symbol, Quantity>> allocatable;  // ascending by name
  bool optional_operations = false;  // declaredFeatures: DRAOptionalNodeOperations
  uint64_t serial = 0;               // given by the SnapshotBuilder

  const Symbol* Label(std::string_view key) const;
  const Quantity* Allocatable(std::string_view resource) const;
};

}  // namespace fedra::dra

template <>
struct std::hash<fedra::dra::PoolKey> {
  size_t operator()(const fedra::dra::PoolKey& key) const noexcept {
    return key.driver.hash() * 31 + key.pool.hash();
  }
};
