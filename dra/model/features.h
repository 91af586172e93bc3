#pragma once
//
// What the allocator of a kube-scheduler release does: its feature gates at their defaults, and the
// places where releases decide differently.
//
// A default-constructed AllocatorFeatures is Kubernetes 1.36 with the corrections that came
// in 1.37: the right answer when nothing is known about the worker. FeaturesOf(release) is what the
// scheduler of that release really does, its bugs included, because a verdict must agree with the
// scheduler that will place the pod. Source: k8s.io/dynamic-resource-allocation/structured, tags
// v0.32 to v0.36, and the changes up to July 2026 (issue numbers in features.cc).
//
// Thread rules: plain values.

#include "cel/environment.h"

namespace fedra::dra {

struct AllocatorFeatures {
  cel::KubernetesRelease release = cel::KubernetesRelease::k136;

  // Feature gates.
  bool admin_access = true;
  bool prioritized_list = true;       // firstAvailable
  bool partitionable_devices = true;  // shared counters, per-device node selection
  bool device_taints = true;
  bool device_taint_rules = false;
  bool binding_conditions = true;  // and device status
  bool consumable_capacity = true;
  bool list_attributes = false;
  bool extended_resources = true;
  bool workload_claims = false;  // a PodGroup's claims; off by default in every release up to 1.37

  // Differences between releases.
  bool distinct_attribute = true;        // the constraint is known at all; else it is a fatal error
  bool distinct_forgets = false;         // only the last value of each request is compared
  bool counters_by_pool_name = false;    // pools of equal name of two drivers share one table
  bool counters_per_slice = false;       // counter sets belong to their slice, not to the pool
  bool fractional_ranges = false;        // requests are rounded in thousandths, not in integers
  bool negative_capacity_fails = true;   // a negative capacity request is a fatal error
  bool incomplete_pools_serve = false;   // ExactCount takes devices of incomplete pools
  bool invalid_pools_are_fatal = false;  // an ExactCount search that meets one ends with an error
  bool empty_all_fits = false;           // All without any matching device is satisfied
  // A pod with claims cannot be bound to a node whose device plugin has its DRA-backed extended
  // resources: "nil or empty request mappings", seen with 1.36.3, no correction known.
  bool plugin_beside_claims_fails = true;
  bool oversize_backtracks = true;  // more than 32 results: try the next alternative at once

  bool operator==(const AllocatorFeatures&) const = default;
};

AllocatorFeatures FeaturesOf(cel::KubernetesRelease release);

}  // namespace fedra::dra
