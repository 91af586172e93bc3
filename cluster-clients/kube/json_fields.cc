#include "cluster-clients/kube/json_fields.h"

#include <nlohmann/json.hpp>

namespace fedra::kube {

std::string StringAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace fedra::kube
