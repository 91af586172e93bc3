#pragma once
//
// What the allocator of a kube-scheduler release does: its feature gates at their defaults, and the
// places where releases decide differently.
//
// A default-constructed AllocatorFeatures is Kubernetes 1.36 with the corrections that came
// in 1.37: the right answer when nothing is known about the worker. FeaturesOf(release) is what the
// scheduler of that release really does, its bugs included, because a verdict must agree with the
// scheduler that will place the pod. What patch releases have mended is part of it. Source:
// k8s.io/dynamic-resource-allocation/structured; docs/agreement.md names the lines and the
// versions, and how `make agree` compares with the libraries themselves.
//
// Thread rules: plain values.

#include <climits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/environment.h"

namespace fedra::dra {

struct AllocatorFeatures {
  cel::KubernetesRelease release = cel::KubernetesRelease::k136;
  // The version that the worker tells, where it is of no release that is known: then `release` is
  // the nearest one. Empty: it is known.
  std::string unknown_version;

  // Feature gates. The first two, and device_taints, are on in every release; Kubernetes' own tests
  // turn them off (tests/support/dra_case.h).
  bool admin_access = true;
  bool prioritized_list = true;       // firstAvailable
  bool partitionable_devices = true;  // shared counters, per-device node selection
  bool device_taints = true;          // off by default before 1.36, where those that are seen count
  bool device_taint_rules = false;
  bool empty_rules_taint = false;  // DeviceTaintRules without deviceSelector taint every device
  // The scheduler ends with a panic at the next change of a slice when there is a DeviceTaintRule;
  // until then it does not look at those that came after the slices.
  bool panics_on_rules = false;
  bool binding_conditions = true;  // and device status
  bool consumable_capacity = true;
  bool extended_resources = true;
  bool workload_claims = false;  // a PodGroup's claims; off by default in every release up to 1.37

  // Alpha in 1.37: gates that are off by default and that no API shows. Objects have the fields
  // only where a server has the gate on and keeps them, so what is seen counts (docs/releases.md).
  bool list_attributes = false;      // in constraints, and attributes are dyn; on from 1.37 on
  bool compatibility_groups = true;  // of devices that take of one counter set
  bool derived_attributes = true;    // of requests; up to 1.36 no server keeps them
  bool optional_operations = true;   // slices whose devices need a feature of the node

  // Differences between releases: what a node sees of a pool.
  bool counter_slices_everywhere = false;  // whatever their own node selection says
  bool counter_slices_ignored = true;      // without partitionable devices: slices with counters
  bool complete_on_node = false;     // complete only where the node itself reaches all its slices
  bool own_slices_first = true;      // the node's own slices are looked at before all others
  bool binding_pools_last = true;    // pools with binding conditions after all others
  bool binding_slices_last = false;  // slices with them at the end of their pool
  bool order_is_chance = false;      // of the pools, and of the slices of a pool: a Go map's

  // The search.
  bool permutes = false;  // every order of the devices of one request is tried
  // Of a firstAvailable request: All in a later alternative goes on with the first one after one
  // device, and All in the second takes the devices that match the first, if that is All, too.
  bool all_mixes_alternatives = false;
  bool all_counts_free_capacity = false;   // All leaves out devices of which too little is free
  bool capacity_requests_fail = true;      // without consumable capacity they are a fatal error
  bool empty_shares_hold_counters = true;  // shares of a device without capacities do, too
  // The counters of a device that is allocated in shares are in use; else they are free for others.
  bool shares_hold_counters = true;
  // All ends with a panic, of the whole scheduler, at a device that takes of counters.
  bool all_panics_on_counters = false;
  // A device that is refused for a taint, a constraint or its capacity, or is given back in shares,
  // keeps its counters and constraints until the node's search ends: fewer devices fit.
  bool refusals_leak = false;
  // A search that takes too long ends the pod's attempt; until then it leaves the node out, and the
  // pod goes to another one (dynamicresources.go:1001 of v1.34.4, :714 of v1.35.4, :857 of
  // v1.36.3).
  bool slow_search_ends_attempt = true;
  bool binds_to_node_known = true;
  bool selectors_see_sharing = true;  // allowMultipleAllocations as published; else always false
  bool selectors_see_lists = false;   // list attributes have values without `list_attributes`, too

  // Constraints, counters, amounts.
  bool distinct_attribute = true;      // the constraint is known at all; else it is a fatal error
  bool distinct_forgets = false;       // only the last value of each request is compared
  bool distinct_by_pointer = false;    // values of two devices are never equal
  bool counters_by_pool_name = false;  // pools of equal name of two drivers share one table
  bool counters_per_slice = false;     // counter sets belong to their slice, not to the pool
  // Requests are rounded in thousandths, not in integers. Off by default in every release; on in
  // Kubernetes' own tests (DRAFractionalCapacityRange, tests/support/dra_case.h). On in 1.37 only
  // with --min-compatibility-version=1.37: by default that is 1.36 (kube_features.go:1493 and, in
  // k8s.io/component-base, compatibility/version.go:206 of 1.37.2).
  bool fractional_ranges = false;
  bool negative_capacity_fails = true;   // a negative capacity request is a fatal error
  bool capacity_overflow_fails = true;   // and so is one that a range rounds up past 2^63 - 1
  bool incomplete_pools_serve = false;   // ExactCount takes devices of incomplete pools
  bool invalid_pools_are_fatal = false;  // an ExactCount search that meets one ends with an error
  // A pod with claims cannot be bound to a node whose device plugin has its DRA-backed extended
  // resources: "nil or empty request mappings", seen with 1.36.3, no correction known.
  bool plugin_beside_claims_fails = true;
  // What a node scores (dra/judge/node_order.h): whether a pod has the devices of first choice
  // there, and how much better balanced cpu and memory are with the pod than without, instead of
  // how well with it (balancedResourceScorer of v1.36.3, balanced_allocation.go:204).
  bool scores_devices = true;
  bool scores_change_of_balance = true;
  // A pod with claims of which some are allocated and some are not has no score, which ends its
  // attempt where several nodes fit: computeScore of 1.35 (dynamicresources.go:866 of v1.35.4).
  bool scores_need_all_claims = false;

  bool operator==(const AllocatorFeatures&) const = default;
};

// Of the last patch release of a minor that is known, and of all that come after it.
inline constexpr int kNewestPatch = INT_MAX;

AllocatorFeatures FeaturesOf(cel::KubernetesRelease release, int patch = kNewestPatch);

// The same by a version as API servers tell it: "v1.36.2+k3s1". Without a patch ("1.36") it is the
// newest one. For minors after the newest known one: of that, `unknown_version`. kInvalidArgument
// for those before the oldest known one, and for what is no version.
Result<AllocatorFeatures> FeaturesOf(std::string_view version);

}  // namespace fedra::dra
