#include "cluster-clients/kube/discovery.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/kube/discovery_answers.h"
#include "cluster-clients/kube/json_fields.h"

namespace fedra::kube {
namespace {

using nlohmann::json;

// A server may make up any number of groups.
constexpr size_t kMaxNames = 10'000;

const json& ArrayAt(const json& object, const char* key) {
  static const json empty = json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : empty;
}

Result<json> ParseKind(std::string_view body, std::string_view kind) {
  json object = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || (!kind.empty() && Text(object, "kind") != kind)) {
    return Fail(ErrorCode::kBadResponse,
                fmt::format("the answer is not a {}", kind.empty() ? "version" : kind));
  }
  return object;
}

// "36" and, as some providers write it, "36+".
int LeadingNumber(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// All served versions, the preferred one first.
std::vector<std::string> Versions(const json& group) {
  const auto preferred = group.find("preferredVersion");
  const std::string first = preferred != group.end() ? Text(*preferred, "version") : "";
  std::vector<std::string> versions;
  for (const json& version : ArrayAt(group, "versions")) {
    if (std::string name = Text(version, "version"); !name.empty())
      versions.push_back(std::move(name));
  }
  std::stable_partition(versions.begin(), versions.end(),
                        [&](const auto& name) { return name == first; });
  return versions;
}

}  // namespace

bool ServerInfo::Serves(const Resource& resource) const {
  return resources.contains(resource.ApiVersion() + "/" + resource.plural);
}

bool ServerInfo::Serves(std::string_view group, std::string_view version) const {
  const auto found = groups.find(std::string(group));
  return found != groups.end() &&
         std::find(found->second.begin(), found->second.end(), version) != found->second.end();
}

Result<void> ReadVersion(std::string_view body, ServerInfo& info) {
  FEDRA_ASSIGN_OR_RETURN(const json version, ParseKind(body, ""));
  info.git_version = Text(version, "gitVersion");
  if (info.git_version.empty())
    return Fail(ErrorCode::kBadResponse, "the answer to /version has no gitVersion");
  info.git_version.resize(std::min<size_t>(info.git_version.size(), 64));
  info.major = LeadingNumber(Text(version, "major"));
  info.minor = LeadingNumber(Text(version, "minor"));
  return {};
}

Result<void> ReadGroups(std::string_view body, ServerInfo& info) {
  FEDRA_ASSIGN_OR_RETURN(const json list, ParseKind(body, "APIGroupList"));
  info.groups[""] = {"v1"};  // the core group is served under /api and not listed
  for (const json& group : ArrayAt(list, "groups")) {
    if (!group.is_object() || info.groups.size() >= kMaxNames) continue;
    if (const std::string name = Text(group, "name"); !name.empty())
      info.groups[name] = Versions(group);
  }
  return {};
}

Result<void> ReadResources(std::string_view body, std::string_view group_version,
                           ServerInfo& info) {
  FEDRA_ASSIGN_OR_RETURN(const json list, ParseKind(body, "APIResourceList"));
  for (const json& resource : ArrayAt(list, "resources")) {
    const std::string name = Text(resource, "name");
    if (name.empty() || info.resources.size() >= kMaxNames) continue;
    info.resources.insert(fmt::format("{}/{}", group_version, name));
  }
  return {};
}

}  // namespace fedra::kube
