#include "manager/verify/dra_api.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dra/model/features.h"

namespace fedra::verify {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io";
// What we can read, newest first. Older versions are ApiVersionOld.
constexpr std::string_view kReadable[] = {"v1", "v1beta2", "v1beta1"};

// The first of these versions in which the resource is served.
std::optional<std::string_view> FirstServed(const kube::ServerInfo* server, std::string_view group,
                                            std::string_view plural,
                                            std::initializer_list<std::string_view> versions) {
  if (server == nullptr) return std::nullopt;
  for (const std::string_view version : versions) {
    if (server->resources.contains(fmt::format("{}/{}/{}", group, version, plural))) return version;
  }
  return std::nullopt;
}

std::optional<std::string_view> ServedTaintRules(const kube::ServerInfo* server) {
  return FirstServed(server, kGroup, "devicetaintrules", {"v1", "v1beta2", "v1alpha3"});
}

std::optional<std::string_view> ServedPodGroups(const kube::ServerInfo* server) {
  return FirstServed(server, "scheduling.k8s.io", "podgroups", {"v1beta1", "v1alpha2"});
}

}  // namespace

std::string_view DraVersion(const kube::ServerInfo* server) {
  for (const std::string_view version : kReadable) {
    if (server != nullptr && server->Serves(kGroup, version)) return version;
  }
  return kReadable[0];
}

std::string_view TaintRuleVersion(const kube::ServerInfo* server) {
  return ServedTaintRules(server).value_or("v1");
}

std::string_view PodGroupVersion(const kube::ServerInfo* server) {
  return ServedPodGroups(server).value_or("v1beta1");
}

DraApi ReadDraApi(const kube::ServerInfo* server) {
  return {.release = server == nullptr ? std::string() : server->git_version,
          .version = std::string(DraVersion(server)),
          .taint_rule_version = std::string(TaintRuleVersion(server)),
          .taint_rules = ServedTaintRules(server).has_value(),
          .pod_group_version = std::string(PodGroupVersion(server)),
          .pod_groups = ServedPodGroups(server).has_value()};
}

namespace {

// Of a version that dra::FeaturesOf() does not know: whether it is one before the oldest that it
// does ("v1.33.4"), and not something that cannot be read.
bool IsOlder(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  return version.starts_with("1.") && version.size() > 2 && version[2] >= '0' && version[2] <= '9';
}

}  // namespace

dra::AllocatorFeatures FeaturesOf(const DraApi& api) {
  dra::AllocatorFeatures features;
  if (const auto known = dra::FeaturesOf(api.release)) {
    features = *known;
  } else if (!api.release.empty()) {
    if (IsOlder(api.release)) features = dra::FeaturesOf(cel::kOldestRelease);
    features.unknown_version = api.release;
  }
  features.device_taint_rules = api.taint_rules;
  features.workload_claims = api.pod_groups;
  return features;
}

kube::Resource InVersion(kube::Resource resource, std::string_view version) {
  resource.version = version;
  return resource;
}

std::vector<std::string> ServedDraVersions(const kube::ServerInfo* server) {
  if (server == nullptr) return {};
  const auto found = server->groups.find(std::string(kGroup));
  return found == server->groups.end() ? std::vector<std::string>() : found->second;
}

}  // namespace fedra::verify
