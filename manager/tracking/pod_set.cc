#include "manager/tracking/pod_set.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dra/judge/extended.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

std::vector<dra::ClaimReference> ClaimsOf(const dra::PodDemand& demand) {
  std::vector<dra::ClaimReference> references;
  for (const dra::ClaimReference& claim : demand.claims)
    references.push_back({claim.pod_claim, claim.template_name, claim.claim_name});
  return references;
}

Result<int> PodsOf(const PodTemplate& item) {
  if (!item.count) return Fail(item.count.error());
  if (*item.count < 0) return Fail(ErrorCode::kBadResponse, "a count of pods is below 0");
  return *item.count;
}

}  // namespace

std::vector<PodSet> PodSetsOf(std::span<const dra::PodDemand> demands) {
  std::vector<PodSet> pod_sets;
  for (const dra::PodDemand& demand : demands)
    pod_sets.push_back({.name = demand.name, .count = demand.count, .claims = ClaimsOf(demand)});
  return pod_sets;
}

Result<Demands> ReadDemands(std::span<const PodTemplate> templates) {
  dra::ParseContext context;
  std::vector<dra::PodDemand> demands;
  for (const PodTemplate& item : templates) {
    FEDRA_ASSIGN_OR_RETURN(const int count, PodsOf(item));
    FEDRA_ASSIGN_OR_RETURN(dra::PodDemand demand, dra::ParsePodDemand(*item.object, context));
    demand.name = item.name;
    demand.count = count;
    demand.least = item.least;
    demands.push_back(std::move(demand));
  }
  return std::make_shared<const std::vector<dra::PodDemand>>(std::move(demands));
}

Result<void> ReadPods(std::span<const PodTemplate> templates, Requirement& requirement) {
  FEDRA_ASSIGN_OR_RETURN(requirement.demands, ReadDemands(templates));
  FEDRA_ASSIGN_OR_RETURN(requirement.dependencies, ReadDependencies(templates));
  requirement.pod_sets = PodSetsOf(*requirement.demands);
  requirement.schedulers = ReadSchedulers(templates);
  return {};
}

bool NeedDevices(std::span<const dra::PodDemand> demands) {
  return std::any_of(demands.begin(), demands.end(), [](const dra::PodDemand& demand) {
    if (demand.count == 0) return false;
    return !demand.claims.empty() ||
           std::any_of(demand.requests.begin(), demand.requests.end(), [](const auto& request) {
             return dra::IsExtendedResource(request.first.view());
           });
  });
}

}  // namespace fedra::tracking
