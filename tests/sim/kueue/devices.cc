// Quota for DRA: pkg/dra/claims.go of Kueue 0.19.2. Only what counts devices per class; CEL
// selectors, counters and capacities are not charged here.

#include <fmt/format.h>

#include "tests/sim/kueue/controller.h"

namespace fedra::sim {
namespace {

std::string ClaimPath(size_t pod_set, size_t claim) {
  return fmt::format("spec.podSets[{}].template.spec.resourceClaims[{}]", pod_set, claim);
}

}  // namespace

tl::expected<Amounts, std::string> KueueController::DeviceRequests(const Store& store,
                                                                   const std::string& ns,
                                                                   const Json& pod_set,
                                                                   size_t index) const {
  Amounts amounts;
  const Json& claims = ArrayAt(pod_set, {"template", "spec", "resourceClaims"});
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string name(StringAt(claims[i], {"resourceClaimTemplateName"}));
    if (name.empty()) {
      return tl::unexpected<std::string>(
          "KueueDRAIntegration feature does not support use of resource claims");
    }
    const Object* found = templates_ == nullptr ? nullptr : store.Find(*templates_, {ns, name});
    if (found == nullptr) {
      return tl::unexpected(fmt::format(
          "{}: Internal error: failed to get claim spec for ResourceClaimTemplate {} in podset "
          "{}: ResourceClaimTemplate.resource.k8s.io \"{}\" not found",
          ClaimPath(index, i), name, StringAt(pod_set, {"name"}), name));
    }
    for (const Json& request : ArrayAt(found->body, {"spec", "spec", "devices", "requests"})) {
      if (request.contains("firstAvailable")) {
        return tl::unexpected(fmt::format(
            "{}: Invalid value: \"\": ResourceClaimTemplate {}: FirstAvailable device selection "
            "is not supported",
            ClaimPath(index, i), name));
      }
      if (StringAt(request, {"exactly", "allocationMode"}) == "All") {
        return tl::unexpected(fmt::format(
            "{}: Invalid value: \"All\": ResourceClaimTemplate {}: AllocationMode 'All' is not "
            "supported",
            ClaimPath(index, i), name));
      }
      const std::string device_class(StringAt(request, {"exactly", "deviceClassName"}));
      const auto resource = options_.device_classes.find(device_class);
      if (resource == options_.device_classes.end()) {
        return tl::unexpected(fmt::format(
            "{}: Not found: DeviceClass {} is not mapped in DRA configuration for podset {}",
            ClaimPath(index, i), device_class, StringAt(pod_set, {"name"})));
      }
      amounts[resource->second] += IntAt(request, {"exactly", "count"}, 1) * 1000;
    }
  }
  return amounts;
}

tl::expected<std::vector<Amounts>, std::string> KueueController::RequestsOf(
    const Store& store, const Object& workload, const std::string& queue) const {
  const std::string ns(StringAt(workload.body, {"metadata", "namespace"}));
  const bool counts_pods = quota_.NominalOf(queue).contains("pods");
  std::vector<Amounts> requests;
  const Json& sets = ArrayAt(workload.body, {"spec", "podSets"});
  for (size_t i = 0; i < sets.size(); ++i) {
    const Json* pod = At(sets[i], {"template", "spec"});
    Amounts amounts = pod == nullptr ? Amounts() : PodRequests(*pod);
    if (!options_.device_classes.empty()) {
      auto devices = DeviceRequests(store, ns, sets[i], i);
      if (!devices) return tl::unexpected(devices.error());
      for (const auto& [resource, amount] : *devices) amounts[resource] += amount;
    }
    if (counts_pods) amounts["pods"] += 1000;
    for (auto& [resource, amount] : amounts) amount *= IntAt(sets[i], {"count"}, 1);
    requests.push_back(std::move(amounts));
  }
  return requests;
}

}  // namespace fedra::sim
