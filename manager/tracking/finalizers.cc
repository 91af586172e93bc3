#include "manager/tracking/finalizers.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::tracking {

std::string WithoutFinalizer(const std::string& uid, const std::vector<std::string>& all,
                             std::string_view taken, const ResourceVersion& version) {
  using nlohmann::json;
  json rest = json::array();
  for (const std::string& finalizer : all) {
    if (finalizer != taken) rest.push_back(finalizer);
  }
  return Dump(
      json{{"metadata",
            {{"uid", uid}, {"resourceVersion", version.value}, {"finalizers", std::move(rest)}}}});
}

}  // namespace fedra::tracking
