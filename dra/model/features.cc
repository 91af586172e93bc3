#include "dra/model/features.h"

#include <charconv>

namespace fedra::dra {
namespace {

using enum cel::KubernetesRelease;

void SetGates(AllocatorFeatures& features, cel::KubernetesRelease release) {
  features.partitionable_devices = release >= k136;
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
  features.complete_on_node = release == k134;
  features.own_slices_first = release >= k136;
  // The default variants: experimental in 1.34, whose device status is a feature, incubating since.
  features.binding_pools_last = release != k135;
  features.binding_slices_last = release == k134;
  features.counters_per_slice = release == k134;
  features.incomplete_pools_serve = release == k134;
  features.invalid_pools_are_fatal = release == k134;
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
  features.order_is_chance = release <= k135;
  features.slow_search_ends_attempt = release >= k136;
  features.scores_devices = release >= k135;
  features.scores_change_of_balance = release >= k136;
}

// What was mended within minors. The lines are in docs/releases.md.
void SetPatches(AllocatorFeatures& features, cel::KubernetesRelease release, int patch) {
  const auto before = [&](cel::KubernetesRelease minor, int mended) {
    return release == minor && patch < mended;
  };
  features.shares_hold_counters = !before(k136, 2);
  features.all_panics_on_counters = before(k136, 2);
  features.scores_need_all_claims = before(k135, 6) || before(k136, 2);
  features.refusals_leak = before(k136, 3);
  features.panics_on_rules = before(k136, 3);
  features.counters_by_pool_name = release < k136 || before(k136, 4);  // kubernetes#140434
  features.empty_rules_taint = release < k137 || before(k137, 1);
}

struct VersionNumbers {
  int minor = -1;
  int patch = -1;  // -1: the version names none
};

VersionNumbers NumbersOf(std::string_view version) {
  VersionNumbers numbers;
  const size_t dot = version.find('.');
  if (dot == version.npos) return numbers;
  const char* end = version.data() + version.size();
  const char* after = std::from_chars(version.data() + dot + 1, end, numbers.minor).ptr;
  if (after != end && *after == '.') std::from_chars(after + 1, end, numbers.patch);
  return numbers;
}

}  // namespace

AllocatorFeatures FeaturesOf(cel::KubernetesRelease release, int patch) {
  AllocatorFeatures features;
  features.release = release;
  SetGates(features, release);
  SetPools(features, release);
  SetSearch(features, release);
  features.distinct_attribute = release != k135;
  features.distinct_forgets = release <= k136;  // kubernetes#140438
  features.distinct_by_pointer = release == k134;
  features.negative_capacity_fails = release >= k137;
  features.capacity_overflow_fails = release >= k137;
  SetPatches(features, release, patch);
  return features;
}

Result<AllocatorFeatures> FeaturesOf(std::string_view version) {
  FEDRA_ASSIGN_OR_RETURN(const cel::KubernetesRelease release, cel::ParseRelease(version));
  const auto [minor, patch] = NumbersOf(version);
  // A minor that is not known yet counts as the newest one, whatever its patch.
  const bool is_known = minor == static_cast<int>(release);
  AllocatorFeatures features = FeaturesOf(release, patch >= 0 && is_known ? patch : kNewestPatch);
  if (!is_known) features.unknown_version = version;
  return features;
}

}  // namespace fedra::dra
