#include "manager/tracking/copy_metadata.h"

#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// The member, or an empty object when it is not an object.
json StringMap(const json& metadata, std::string_view name) {
  const json& map = Member(metadata, name);
  return map.is_object() ? map : json::object();
}

}  // namespace

json CopyMetadata(const json& source, const ObjectKey& key, const std::string& workload_uid,
                  const Identity& us) {
  const json& metadata = Member(source, "metadata");
  json labels = StringMap(metadata, "labels");
  labels[std::string(kOriginLabel)] = us.origin;
  json annotations = StringMap(metadata, "annotations");
  annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
  annotations[std::string(kWorkloadUidAnnotation)] = workload_uid;
  if (!us.manager.empty()) annotations[std::string(kManagerUidAnnotation)] = us.manager;
  return {{"namespace", key.ns},
          {"name", key.name},
          {"labels", std::move(labels)},
          {"annotations", std::move(annotations)}};
}

}  // namespace fedra::tracking
