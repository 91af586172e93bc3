#include "tests/sim/api/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fedra::sim {
namespace {

// "v1.36.3" to "1" and "36".
Json Version(const std::string& git_version) {
  const size_t dot = git_version.find('.');
  const size_t second = git_version.find('.', dot + 1);
  return {{"major", git_version.substr(1, dot - 1)},
          {"minor", git_version.substr(dot + 1, second - dot - 1)},
          {"gitVersion", git_version},
          {"gitCommit", "simulated"},
          {"gitTreeState", "clean"},
          {"platform", "linux/amd64"}};
}

Json GroupEntry(const std::string& group, const std::vector<std::string>& versions) {
  Json list = Json::array();
  for (const std::string& version : versions) {
    list.push_back({{"groupVersion", group + "/" + version}, {"version", version}});
  }
  return {{"name", group}, {"versions", list}, {"preferredVersion", list[0]}};
}

// Of all the group's types, in the order of the first that has each.
std::vector<std::string> VersionsOf(const Registry& registry, const std::set<std::string>& hidden,
                                    const std::string& group) {
  if (group == "authorization.k8s.io") return {"v1"};
  std::vector<std::string> versions;
  for (const ResourceType& type : registry.types()) {
    if (type.group != group) continue;
    for (const std::string& version : type.versions) {
      const bool is_known = std::find(versions.begin(), versions.end(), version) != versions.end();
      if (!is_known && !hidden.contains(group + "/" + version)) versions.push_back(version);
    }
  }
  return versions;
}

Json Groups(const Registry& registry, const std::set<std::string>& hidden) {
  std::set<std::string> names = {"authorization.k8s.io"};
  for (const ResourceType& type : registry.types()) {
    if (!type.group.empty()) names.insert(type.group);
  }
  Json groups = Json::array();
  for (const std::string& name : names) {
    const auto versions = VersionsOf(registry, hidden, name);
    if (!versions.empty()) groups.push_back(GroupEntry(name, versions));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", groups}};
}

void AddResource(const ResourceType& type, Json& resources) {
  Json entry = {
      {"name", type.plural},
      {"singularName", type.singular},
      {"namespaced", type.namespaced},
      {"kind", type.kind},
      {"verbs",
       {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}}};
  if (!type.short_names.empty()) entry["shortNames"] = type.short_names;
  resources.push_back(entry);
  if (!type.has_status) return;
  resources.push_back({{"name", type.plural + "/status"},
                       {"singularName", ""},
                       {"namespaced", type.namespaced},
                       {"kind", type.kind},
                       {"verbs", {"get", "patch", "update"}}});
}

std::optional<Json> Resources(const Registry& registry, const std::string& group,
                              const std::string& version) {
  Json resources = Json::array();
  for (const ResourceType& type : registry.types()) {
    if (type.group == group && type.Serves(version)) AddResource(type, resources);
  }
  if (group == "authorization.k8s.io" && version == "v1") {
    for (const char* kind : {"SelfSubjectAccessReview", "SelfSubjectRulesReview"}) {
      std::string plural(kind);
      for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      resources.push_back({{"name", plural + "s"},
                           {"singularName", plural},
                           {"namespaced", false},
                           {"kind", kind},
                           {"verbs", {"create"}}});
    }
  }
  if (resources.empty()) return std::nullopt;
  return Json{{"kind", "APIResourceList"},
              {"apiVersion", "v1"},
              {"groupVersion", group.empty() ? version : group + "/" + version},
              {"resources", resources}};
}

}  // namespace

std::optional<Json> Discover(const Registry& registry, const std::string& git_version,
                             const std::set<std::string>& hidden, const Url& url) {
  const auto& segments = url.segments;
  if (segments.size() == 1 && segments[0] == "version") return Version(git_version);
  if (segments.size() == 1 && segments[0] == "api") {
    return Json{{"kind", "APIVersions"}, {"versions", {"v1"}}};
  }
  if (segments.size() == 2 && segments[0] == "api") return Resources(registry, "", segments[1]);
  if (segments.empty() || segments[0] != "apis") return std::nullopt;
  if (segments.size() == 1) return Groups(registry, hidden);
  const auto versions = VersionsOf(registry, hidden, segments[1]);
  if (versions.empty()) return std::nullopt;
  if (segments.size() == 2) {
    Json group = GroupEntry(segments[1], versions);
    group["kind"] = "APIGroup";
    group["apiVersion"] = "v1";
    return group;
  }
  const bool served = std::find(versions.begin(), versions.end(), segments[2]) != versions.end();
  if (segments.size() == 3 && served) return Resources(registry, segments[1], segments[2]);
  return std::nullopt;
}

}  // namespace fedra::sim
