#include "manager/tracking/cluster_profile.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// What v1alpha2 of the API allows; more of them are not read.
constexpr size_t kMostProviders = 64;

void ReadProviders(const json& status, const char* list, std::vector<ClusterProfile::Access>& all) {
  const json& providers = Member(status, list);
  if (!providers.is_array()) return;
  for (size_t i = 0; i < providers.size() && all.size() < kMostProviders; ++i) {
    std::string name = Text(providers[i], "name");
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const auto& other) { return other.provider == name; });
    if (name.empty() || known) continue;
    const json& cluster = Member(providers[i], "cluster");
    all.push_back({std::move(name), cluster.is_null() ? std::string() : Dump(cluster),
                   fmt::format("status.{}[{}].cluster", list, i)});
  }
}

}  // namespace

Result<ClusterProfile> ParseClusterProfile(const json& object) {
  const json& metadata = Member(object, "metadata");
  ClusterProfile profile;
  profile.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  if (profile.key.name.empty())
    return Fail(ErrorCode::kBadResponse, "a ClusterProfile without name");
  profile.created = Time(metadata, "creationTimestamp");
  if (const json& labels = Member(metadata, "labels"); labels.is_object()) {
    for (const auto& [key, value] : labels.items())
      if (value.is_string()) profile.labels.emplace(key, value.get<std::string>());
  }
  const json& status = Member(object, "status");
  ReadProviders(status, "accessProviders", profile.access);
  ReadProviders(status, "credentialProviders", profile.access);
  return profile;
}

}  // namespace fedra::tracking
