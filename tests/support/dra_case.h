#pragma once
//
// One allocation case as JSON (dra/README.md, judge-lines): a node, the objects of a cluster, and
// the claims to allocate. Shared by the judge-lines tool, the unit tests and the fuzz targets.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "dra/allocator/allocator.h"
#include "dra/model/parse.h"
#include "dra/model/snapshot.h"

namespace fedra::test {

struct DraCase {
  dra::Node node;
  std::shared_ptr<const dra::Snapshot> snapshot;
  std::vector<dra::Claim> claims;
};

struct DraAnswer {
  dra::NodeAllocation allocation;
  std::vector<std::string> results;  // "ns/claim req driver/pool/device"
  nlohmann::json results_json;       // as judge-lines prints them
};

// As both protocols print it.
inline std::string_view OutcomeOf(dra::Fit fit) {
  switch (fit) {
    case dra::Fit::kFit:
      return "fit";
    case dra::Fit::kNoFit:
      return "nofit";
    case dra::Fit::kError:
      return "error";
    case dra::Fit::kBudget:
      return "budget";
  }
  return "error";
}

namespace internal {

template <class Parse, class Take>
Result<void> ForEach(const nlohmann::json& input, const char* key, Parse&& parse, Take&& take) {
  const auto list = input.find(key);
  if (list == input.end() || list->is_null()) return {};
  if (!list->is_array()) return Fail(ErrorCode::kInvalidArgument, std::string(key) + ": no list");
  for (const nlohmann::json& object : *list) {
    auto parsed = parse(object);
    if (!parsed) return Fail(parsed.error());
    take(std::move(*parsed));
  }
  return {};
}

// The objects of a cluster that both protocols have.
inline Result<void> ReadCluster(const nlohmann::json& input, dra::ParseContext& context,
                                dra::SnapshotBuilder& builder) {
  using nlohmann::json;
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "classes", [&](const json& o) { return dra::ParseDeviceClass(o, context); },
      [&](dra::DeviceClass v) { builder.SetClass(std::move(v)); }));
  uint64_t position = 0;
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "slices", [&](const json& o) { return dra::ParseSlice(o, context); },
      [&](dra::Slice v) {
        v.position = ++position;
        builder.SetSlice(std::move(v));
      }));
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "allocatedClaims", [&](const json& o) { return dra::ParseClaim(o, context); },
      [&](dra::Claim v) { builder.SetClaim(std::move(v)); }));
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "taintRules", [&](const json& o) { return dra::ParseTaintRule(o, context); },
      [&](dra::TaintRule v) { builder.SetTaintRule(std::move(v)); }));
  return {};
}

}  // namespace internal

namespace internal {

// Exactly those gates are on, by the names that the allocator library has for its features.
inline void SetGates(dra::AllocatorFeatures& features, const nlohmann::json& gates) {
  const auto is_on = [&](const char* gate) {
    return std::find(gates.begin(), gates.end(), gate) != gates.end();
  };
  features.admin_access = is_on("DRAAdminAccess");
  features.prioritized_list = is_on("DRAPrioritizedList");
  features.partitionable_devices = is_on("DRAPartitionableDevices");
  features.device_taints = is_on("DRADeviceTaints");
  features.binding_conditions = is_on("DRADeviceBindingConditions");
  features.consumable_capacity = is_on("DRAConsumableCapacity");
  features.list_attributes = is_on("DRAListTypeAttributes");
  features.compatibility_groups = is_on("DRADeviceCompatibilityGroups");
  features.derived_attributes = is_on("DRADerivedAttributes");
  features.optional_operations = is_on("DRAOptionalNodeOperations");
  features.fractional_ranges = is_on("DRAFractionalCapacityRange");
}

}  // namespace internal

// `features`: of the release in "k8s" unless given, without the taints of devices if "deviceTaints"
// is false, and with the feature gates in "gates" if there are any.
inline Result<DraCase> ReadDraCase(const nlohmann::json& input, dra::ParseContext& context,
                                   const dra::AllocatorFeatures* features = nullptr) {
  if (!input.is_object()) return Fail(ErrorCode::kInvalidArgument, "not an object");
  const auto k8s = input.find("k8s");
  const bool has_release = k8s != input.end() && k8s->is_string();
  auto of_release = dra::FeaturesOf(has_release ? k8s->get<std::string>() : "1.36");
  if (!of_release) return Fail(of_release.error());
  const auto taints = input.find("deviceTaints");
  if (taints != input.end() && *taints == false) of_release->device_taints = false;
  const auto gates = input.find("gates");
  if (gates != input.end()) internal::SetGates(*of_release, *gates);
  dra::SnapshotBuilder builder(features ? *features : *of_release);
  FEDRA_RETURN_IF_ERROR(internal::ReadCluster(input, context, builder));
  DraCase result;
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "claims", [&](const nlohmann::json& o) { return dra::ParseClaim(o, context); },
      [&](dra::Claim v) { result.claims.push_back(std::move(v)); }));
  const auto node = input.find("node");
  auto parsed = dra::ParseNode(node == input.end() ? nlohmann::json::object() : *node, context);
  if (!parsed) return Fail(parsed.error());
  result.node = std::move(*parsed);
  result.snapshot = builder.Publish();
  return result;
}

namespace internal {

inline DraAnswer SolveOn(const dra::NodeView& view, const dra::PodClaims& pod,
                         dra::MatchCache& matches, const dra::AllocatorFeatures& features,
                         const dra::AllocatorLimits& limits) {
  DraAnswer answer;
  answer.results_json = nlohmann::json::array();
  answer.allocation = dra::Allocate(pod, view, nullptr, matches, features, limits);
  for (const dra::ChosenDevice& chosen : answer.allocation.devices) {
    const dra::PoolView& pool = *view.pools[chosen.pool];
    const std::string claim = pod.claims[chosen.claim].key.ToString();
    const std::string request = pod.asks[chosen.ask].Name();
    const std::string device = pool.devices[chosen.device].device->name.str();
    answer.results.push_back(claim + " " + request + " " + pool.key.ToString() + "/" + device);
    answer.results_json.push_back({{"claim", claim},
                                   {"request", request},
                                   {"driver", pool.key.driver.str()},
                                   {"pool", pool.key.pool.str()},
                                   {"device", device}});
  }
  return answer;
}

// The pools in an order that the scheduler might take up to 1.35.
inline dra::NodeView Reordered(const dra::NodeView& view, const std::vector<size_t>& order) {
  dra::NodeView reordered{.node = view.node, .pools = {}, .states = {}};
  for (const size_t i : order) {
    reordered.pools.push_back(view.pools[i]);
    reordered.states.push_back(view.states[i]);
  }
  return reordered;
}

inline bool BindingPoolsLast(const dra::NodeView& view) {
  return std::is_sorted(view.pools.begin(), view.pools.end(), [](const auto& a, const auto& b) {
    return !a->has_binding_conditions && b->has_binding_conditions;
  });
}

}  // namespace internal

// The answer comes first. `every_order`: followed by those for the pools in every other order,
// however often they are the same; none where that would be more than 5,040.
inline std::vector<DraAnswer> SolveInOrders(const DraCase& input, dra::SelectorCache& selectors,
                                            const dra::AllocatorLimits& limits, bool every_order) {
  dra::MatchCache matches;
  std::vector<dra::UnallocatedClaim> claims;
  for (const dra::Claim& claim : input.claims) claims.push_back({claim.key, &claim.spec});
  const dra::PodClaims pod = dra::Prepare(claims, *input.snapshot, matches, selectors);
  const dra::NodeView view = dra::ViewOf(*input.snapshot, input.node);
  const dra::AllocatorFeatures& features = input.snapshot->features();
  std::vector<DraAnswer> answers = {internal::SolveOn(view, pod, matches, features, limits)};
  if (!every_order || view.pools.size() > 7) return answers;
  std::vector<size_t> order(view.pools.size());
  std::iota(order.begin(), order.end(), size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    const dra::NodeView other = internal::Reordered(view, order);
    if (internal::BindingPoolsLast(other))
      answers.push_back(internal::SolveOn(other, pod, matches, features, limits));
  }
  return answers;
}

inline DraAnswer Solve(const DraCase& input, dra::SelectorCache& selectors,
                       const dra::AllocatorLimits& limits = {}) {
  return std::move(SolveInOrders(input, selectors, limits, false).front());
}

}  // namespace fedra::test
