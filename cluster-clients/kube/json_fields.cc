#include "cluster-clients/kube/json_fields.h"

#include <nlohmann/json.hpp>

namespace fedra::kube {

using nlohmann::json;

const json& Member(const json& object, std::string_view name) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

std::string Text(const json& object, std::string_view name) {
  const json& member = Member(object, name);
  return member.is_string() ? member.get_ref<const std::string&>() : std::string();
}

std::string Text(const nlohmann::ordered_json& object, std::string_view name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  const bool is_text = found != object.end() && found->is_string();
  return is_text ? found->get_ref<const std::string&>() : std::string();
}

}  // namespace fedra::kube
