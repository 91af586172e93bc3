#include "manager/report/document.h"

#include <string>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace fedra::report {

nlohmann::ordered_json Document(std::string_view kind) {
  return {{"apiVersion", "fedra.dev/v1alpha1"}, {"kind", kind}};
}

void PutTime(nlohmann::ordered_json& object, std::string_view key,
             const std::optional<WallTime>& time) {
  if (time) object[std::string(key)] = FormatRfc3339(*time);
}

}  // namespace fedra::report
