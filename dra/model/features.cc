#include "dra/model/features.h"

namespace fedra::dra {
namespace {

using enum cel::KubernetesRelease;

void SetGates(AllocatorFeatures& features, cel::KubernetesRelease release) {
  features.admin_access = release >= k134;
  features.prioritized_list = release >= k134;
  features.partitionable_devices = release >= k136;
  features.device_taints = release >= k136;
  features.device_taint_rules = release >= k137;
  features.binding_conditions = release >= k136;
  features.consumable_capacity = release >= k136;
  features.extended_resources = release >= k136;
}

}  // namespace

AllocatorFeatures FeaturesOf(cel::KubernetesRelease release) {
  AllocatorFeatures features;
  features.release = release;
  SetGates(features, release);
  features.distinct_attribute = release == k134 || release >= k136;
  features.distinct_forgets = release <= k136;       // kubernetes#140438
  features.counters_by_pool_name = release <= k136;  // kubernetes#140434
  features.counters_per_slice = release <= k134;
  features.fractional_ranges = release >= k137;
  features.negative_capacity_fails = release >= k137;
  features.incomplete_pools_serve = release <= k134;
  features.invalid_pools_are_fatal = release <= k134;
  features.empty_all_fits = release <= k132;
  features.oversize_backtracks = release >= k134;
  return features;
}

}  // namespace fedra::dra
