#include "tests/sim/users.h"

#include <algorithm>
#include <utility>

namespace fedra::sim {
namespace {

bool Contains(const std::vector<std::string>& list, std::string_view value) {
  return std::any_of(list.begin(), list.end(),
                     [value](const std::string& entry) { return entry == "*" || entry == value; });
}

bool Matches(const PolicyRule& rule, const AccessRequest& request) {
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
  user.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
  return user;
}

bool Allows(const User& user, const AccessRequest& request) {
  return AnyMatches(user.allow, request) && !AnyMatches(user.deny, request);
}

}  // namespace fedra::sim
