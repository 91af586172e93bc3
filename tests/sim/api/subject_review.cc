#include "tests/sim/api/subject_review.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/api/bindings.h"

namespace fedra::sim {
namespace {

constexpr const char* kExtra = "sim.fedra.dev/credential";

std::string UidOf(const User& user) { return "uid-of-" + user.name; }

Json UserInfo(const User& user) {
  return {{"username", user.name},
          {"uid", UidOf(user)},
          {"groups", user.groups},
          {"extra", {{kExtra, Json::array({"token"})}}}};
}

bool IsToldInFull(const User& user, const Json& spec) {
  const Json known = UserInfo(user);
  const auto same = [&](const char* key) {
    const Json* told = At(spec, {key});
    return told != nullptr && *told == known.at(key);
  };
  return same("uid") && same("groups") && same("extra");
}

}  // namespace

std::shared_ptr<const User> Bound(Core& core, const std::shared_ptr<const User>& user) {
  if (user == nullptr || user->account.name.empty()) return user;
  auto bound = std::make_shared<User>(*user);
  const auto rules = core.store.With(
      [&](const Store& store) { return BoundRules(core.registry, store, user->account); });
  bound->allow.insert(bound->allow.end(), rules.begin(), rules.end());
  return bound;
}

Outcome<Json> AnswerTokenReview(Core& core, Json review) {
  const std::string token(StringAt(review, {"spec", "token"}));
  if (token.empty())
    return Refuse(Failure{.code = 422,
                          .reason = "Invalid",
                          .message = "TokenReview.authentication.k8s.io \"\" is invalid: "
                                     "spec.token: Required value: token is required"});
  const std::shared_ptr<const User> user = core.UserWithToken(token);
  review["metadata"] = Json::object();
  if (user == nullptr) {
    review["status"] = {{"user", Json::object()}, {"error", "[invalid bearer token]"}};
  } else {
    review["status"] = {{"authenticated", true}, {"user", UserInfo(*user)}};
  }
  return review;
}

Outcome<Json> AnswerSubjectReview(Core& core, Json review) {
  const Json* const spec = At(review, {"spec"});
  if (spec == nullptr) return Refuse(BadRequest("the object provided is unrecognized"));
  const std::shared_ptr<const User> user = Bound(core, core.UserNamed(StringAt(*spec, {"user"})));
  bool allowed = false;
  if (user != nullptr && IsToldInFull(*user, *spec)) {
    const Json* const of_resource = At(*spec, {"resourceAttributes"});
    const Json none;
    const Json& attributes = of_resource == nullptr ? none : *of_resource;
    const AccessRequest request{
        .verb = StringAt(
            *spec,
            {of_resource == nullptr ? "nonResourceAttributes" : "resourceAttributes", "verb"}),
        .group = StringAt(attributes, {"group"}),
        .resource = StringAt(attributes, {"resource"}),
        .subresource = StringAt(attributes, {"subresource"}),
        .ns = StringAt(attributes, {"namespace"}),
        .name = StringAt(attributes, {"name"}),
        .path = StringAt(*spec, {"nonResourceAttributes", "path"})};
    allowed = Allows(*user, request);
  }
  review["metadata"] = Json::object();
  review["status"] = {{"allowed", allowed}};
  return review;
}

}  // namespace fedra::sim
