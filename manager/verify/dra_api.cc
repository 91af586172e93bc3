#include "manager/verify/dra_api.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fedra::verify {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io";
// What we can read, newest first. Older versions are ApiVersionOld.
constexpr std::string_view kReadable[] = {"v1", "v1beta2", "v1beta1"};

std::optional<std::string_view> ServedTaintRules(const kube::ServerInfo* server) {
  for (const std::string_view version : {"v1", "v1beta2", "v1alpha3"}) {
    if (server != nullptr &&
        server->resources.contains(fmt::format("{}/{}/devicetaintrules", kGroup, version)))
      return version;
  }
  return std::nullopt;
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

bool ServesTaintRules(const kube::ServerInfo* server) {
  return ServedTaintRules(server).has_value();
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
