#include "tests/sim/api/access_review.h"

#include <fmt/format.h>

namespace fedra::sim {
namespace {

std::string NameOf(const User* user) { return user == nullptr ? "system:anonymous" : user->name; }

std::string ScopeText(std::string_view ns) {
  return ns.empty() ? " at the cluster scope" : fmt::format(" in the namespace \"{}\"", ns);
}

Json RulesOf(const User& user) {
  Json rules = Json::array();
  for (const PolicyRule& rule : user.allow) {
    rules.push_back(
        {{"verbs", rule.verbs},
         {"apiGroups", rule.groups},
         {"resources", rule.resources},
         {"resourceNames",
          rule.names == std::vector<std::string>{"*"} ? std::vector<std::string>() : rule.names}});
  }
  return rules;
}

}  // namespace

std::optional<Failure> Authorize(const User* user, const AccessRequest& request) {
  if (user != nullptr && Allows(*user, request)) return std::nullopt;
  std::string resource(request.resource);
  if (!request.subresource.empty()) resource.append("/").append(request.subresource);
  const std::string qualified = request.group.empty()
                                    ? std::string(request.resource)
                                    : fmt::format("{}.{}", request.resource, request.group);
  const std::string name = request.name.empty() ? "" : fmt::format(" \"{}\"", request.name);
  Failure failure{
      .code = 403,
      .reason = "Forbidden",
      .message = fmt::format(
          "{}{} is forbidden: User \"{}\" cannot {} resource \"{}\" in API group \"{}\"{}",
          qualified, name, NameOf(user), request.verb, resource, request.group,
          ScopeText(request.ns))};
  failure.details = {{"kind", request.resource}};
  if (!request.group.empty()) failure.details["group"] = request.group;
  if (!request.name.empty()) failure.details["name"] = request.name;
  return failure;
}

Outcome<Json> Review(const User& user, std::string_view plural, Json review) {
  if (!review.is_object()) return Refuse(BadRequest("the object provided is unrecognized"));
  review["metadata"] = Json::object();
  if (plural == "selfsubjectrulesreviews") {
    review["status"] = {{"resourceRules", RulesOf(user)},
                        {"nonResourceRules", Json::array()},
                        {"incomplete", false}};
    return review;
  }
  const Json* attributes = At(review, {"spec", "resourceAttributes"});
  if (attributes == nullptr) {
    // Paths that are no resources are open to everybody who is authenticated.
    review["status"] = {{"allowed", At(review, {"spec", "nonResourceAttributes"}) != nullptr}};
    return review;
  }
  const AccessRequest request{.verb = StringAt(*attributes, {"verb"}),
                              .group = StringAt(*attributes, {"group"}),
                              .resource = StringAt(*attributes, {"resource"}),
                              .subresource = StringAt(*attributes, {"subresource"}),
                              .ns = StringAt(*attributes, {"namespace"}),
                              .name = StringAt(*attributes, {"name"})};
  const bool allowed = Allows(user, request);
  review["status"] = {{"allowed", allowed}};
  if (allowed) review["status"]["reason"] = "RBAC: allowed by the simulation's rules";
  return review;
}

}  // namespace fedra::sim
