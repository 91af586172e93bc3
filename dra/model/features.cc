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
  features.list_attributes = release >= k137;
  features.compatibility_groups = release >= k137;
  features.derived_attributes = release >= k137;
  features.optional_operations = release >= k137;
}

void SetPools(AllocatorFeatures& features, cel::KubernetesRelease release) {
  features.counter_slices_everywhere = release <= k136;
  features.counter_slices_ignored = release >= k135;
  features.complete_on_node = release <= k134;
  features.own_slices_first = release >= k136;
  // The default variants: experimental in 1.34, whose device status is a feature, incubating since.
  features.binding_pools_last = release != k135;
  features.binding_slices_last = release <= k134;
  features.counters_per_slice = release <= k134;
  features.incomplete_pools_serve = release <= k134;
  features.invalid_pools_are_fatal = release <= k134;
}

void SetSearch(AllocatorFeatures& features, cel::KubernetesRelease release) {
  features.permutes = release <= k135;
  features.all_mixes_alternatives = release <= k135;
  features.all_counts_free_capacity = release <= k136;
  features.capacity_requests_fail = release != k135;
  features.empty_shares_hold_counters = release >= k137;
  features.binds_to_node_known = release != k135;
  features.selectors_see_sharing = release != k135;
  features.selectors_see_lists = release >= k137;
  features.empty_all_fits = release <= k132;
  features.oversize_backtracks = release >= k134;
  features.scores_need_all_claims = release == k135;
}

}  // namespace

AllocatorFeatures FeaturesOf(cel::KubernetesRelease release) {
  AllocatorFeatures features;
  features.release = release;
  SetGates(features, release);
  SetPools(features, release);
  SetSearch(features, release);
  features.distinct_attribute = release == k134 || release >= k136;
  features.distinct_forgets = release <= k136;       // kubernetes#140438
  features.counters_by_pool_name = release <= k136;  // kubernetes#140434
  features.distinct_by_pointer = release <= k134;
  features.fractional_ranges = release >= k137;
  features.negative_capacity_fails = release >= k137;
  return features;
}

}  // namespace fedra::dra
