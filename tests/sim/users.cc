#include "tests/sim/users.h"

#include <algorithm>
#include <utility>

namespace fedra::sim {
namespace {

bool Contains(const std::vector<std::string>& list, std::string_view value) {
  return std::any_of(list.begin(), list.end(),
                     [value](const std::string& entry) { return entry == "*" || entry == value; });
}

// What ClusterRole system:discovery gives to everybody who is authenticated.
const std::vector<std::string>& DiscoveryPaths() {
  static const std::vector<std::string> paths = {"/api",     "/api/*",   "/apis",    "/apis/*",
                                                 "/healthz", "/livez",   "/openapi", "/openapi/*",
                                                 "/readyz",  "/version", "/version/"};
  return paths;
}

bool HasPath(const std::vector<std::string>& paths, std::string_view path) {
  return std::any_of(paths.begin(), paths.end(), [path](const std::string& entry) {
    if (entry.ends_with('*')) return path.starts_with(entry.substr(0, entry.size() - 1));
    return entry == path;
  });
}

bool Matches(const PolicyRule& rule, const AccessRequest& request) {
  if (!request.path.empty())
    return Contains(rule.verbs, request.verb) && HasPath(rule.paths, request.path);
  std::string resource(request.resource);
  if (!request.subresource.empty()) resource.append("/").append(request.subresource);
  // A rule limited to names or namespaces never covers a request about all of them.
  return Contains(rule.verbs, request.verb) && Contains(rule.groups, request.group) &&
         Contains(rule.resources, resource) && Contains(rule.names, request.name) &&
         Contains(rule.namespaces, request.ns);
}

bool AnyMatches(const std::vector<PolicyRule>& rules, const AccessRequest& request) {
  return std::any_of(rules.begin(), rules.end(),
                     [&request](const PolicyRule& rule) { return Matches(rule, request); });
}

}  // namespace

User Administrator(std::string name, std::string token) {
  User user;
  user.name = std::move(name);
  user.groups = {"system:masters", "system:authenticated"};
  user.token = std::move(token);
  user.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .paths = {"*"}}};
  return user;
}

bool Allows(const User& user, const AccessRequest& request) {
  if (!request.path.empty() && request.verb == "get" && HasPath(DiscoveryPaths(), request.path))
    return true;
  return AnyMatches(user.allow, request) && !AnyMatches(user.deny, request);
}

}  // namespace fedra::sim
