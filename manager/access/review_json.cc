#include "manager/access/review_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedra::access {
namespace {

using nlohmann::json;

constexpr std::string_view kAnonymous = "system:anonymous";

// Text that is no UTF-8 is replaced; dump() would throw.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Null: there is no such object.
const json* ObjectIn(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || !found->is_object() ? nullptr : &*found;
}

std::string TextIn(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

bool IsTrue(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> TextsIn(const json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const json& each : list)
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

// The status of a review of this kind.
Result<json> StatusIn(const std::string& answer, std::string_view kind) {
  const json review = json::parse(answer, nullptr, /*allow_exceptions=*/false);
  const json* const status = ObjectIn(review, "status");
  if (status == nullptr || TextIn(review, "kind") != kind)
    return Fail(ErrorCode::kBadResponse, fmt::format("the {} has no answer", kind));
  return *status;
}

User UserOf(const json& object) {
  User user{
      .name = TextIn(object, "username"), .uid = TextIn(object, "uid"), .groups = {}, .extra = {}};
  if (const auto groups = object.find("groups"); groups != object.end())
    user.groups = TextsIn(*groups);
  if (const json* const extra = ObjectIn(object, "extra"))
    for (const auto& [key, values] : extra->items()) user.extra[key] = TextsIn(values);
  return user;
}

json AttributesJson(const Attributes& attributes) {
  if (attributes.resource.empty()) return {{"path", attributes.path}, {"verb", attributes.verb}};
  json fields = {
      {"verb", attributes.verb}, {"group", attributes.group}, {"resource", attributes.resource}};
  if (!attributes.subresource.empty()) fields["subresource"] = attributes.subresource;
  if (!attributes.ns.empty()) fields["namespace"] = attributes.ns;
  return fields;
}

}  // namespace

std::string TokenReviewOf(const std::string& token) {
  return Dump({{"apiVersion", "authentication.k8s.io/v1"},
               {"kind", "TokenReview"},
               {"spec", {{"token", token}}}});
}

Result<std::optional<User>> UserIn(const std::string& answer) {
  FEDRA_ASSIGN_OR_RETURN(const json status, StatusIn(answer, "TokenReview"));
  const json* const object = ObjectIn(status, "user");
  if (!IsTrue(status, "authenticated") || object == nullptr) return std::optional<User>();
  User user = UserOf(*object);
  if (user.name.empty() || user.name == kAnonymous) return std::optional<User>();
  return std::optional<User>(std::move(user));
}

std::string AccessReviewOf(const User& user, const Attributes& attributes) {
  json spec = {{"user", user.name}, {"groups", user.groups}};
  if (!user.uid.empty()) spec["uid"] = user.uid;
  if (!user.extra.empty()) spec["extra"] = user.extra;
  spec[attributes.resource.empty() ? "nonResourceAttributes" : "resourceAttributes"] =
      AttributesJson(attributes);
  return Dump({{"apiVersion", "authorization.k8s.io/v1"},
               {"kind", "SubjectAccessReview"},
               {"spec", std::move(spec)}});
}

Result<bool> AllowedIn(const std::string& answer) {
  FEDRA_ASSIGN_OR_RETURN(const json status, StatusIn(answer, "SubjectAccessReview"));
  return IsTrue(status, "allowed") && !IsTrue(status, "denied");
}

}  // namespace fedra::access
