#include "manager/tracking/pod_set.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::tracking {

dra::PodSet ReadPodSet(std::string name, int count, const nlohmann::json& pod_spec) {
  dra::PodSet pod_set{.name = std::move(name), .count = std::max(0, count), .claims = {}};
  const nlohmann::json& claims = Member(pod_spec, "resourceClaims");
  if (!claims.is_array()) return pod_set;
  for (const nlohmann::json& claim : claims) {
    pod_set.claims.push_back({Text(claim, "name"), Text(claim, "resourceClaimTemplateName"),
                              Text(claim, "resourceClaimName")});
  }
  return pod_set;
}

}  // namespace fedra::tracking
