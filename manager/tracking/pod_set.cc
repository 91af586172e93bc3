#include "manager/tracking/pod_set.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dra/judge/extended.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

std::vector<dra::ClaimReference> ReadClaims(const nlohmann::json& pod_spec) {
  std::vector<dra::ClaimReference> references;
  const nlohmann::json& claims = Member(pod_spec, "resourceClaims");
  if (!claims.is_array()) return references;
  for (const nlohmann::json& claim : claims) {
    references.push_back({Text(claim, "name"), Text(claim, "resourceClaimTemplateName"),
                          Text(claim, "resourceClaimName")});
  }
  return references;
}

}  // namespace

std::vector<dra::PodSet> ReadPodSets(std::span<const PodTemplate> templates) {
  std::vector<dra::PodSet> pod_sets;
  for (const PodTemplate& item : templates) {
    pod_sets.push_back({.name = item.name,
                        .count = std::max(0, item.count),
                        .claims = ReadClaims(Member(*item.object, "spec"))});
  }
  return pod_sets;
}

Result<Demands> ReadDemands(std::span<const PodTemplate> templates) {
  dra::ParseContext context;
  std::vector<dra::PodDemand> demands;
  for (const PodTemplate& item : templates) {
    FEDRA_ASSIGN_OR_RETURN(dra::PodDemand demand, dra::ParsePodDemand(*item.object, context));
    demand.name = item.name;
    demand.count = std::max(0, item.count);
    demands.push_back(std::move(demand));
  }
  return std::make_shared<const std::vector<dra::PodDemand>>(std::move(demands));
}

bool NeedDevices(std::span<const dra::PodDemand> demands) {
  return std::any_of(demands.begin(), demands.end(), [](const dra::PodDemand& demand) {
    return !demand.claims.empty() ||
           std::any_of(demand.requests.begin(), demand.requests.end(), [](const auto& request) {
             return dra::IsExtendedResource(request.first.view());
           });
  });
}

}  // namespace fedra::tracking
