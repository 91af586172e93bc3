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

// What says on a worker whose an object is (ownership.h). A user who writes it into an object of
// the manager, or has exported the object from a worker, must not make the copy another manager's.
void DropMarks(json& labels, json& annotations) {
  for (const std::string_view label : {kOriginLabel, kCopyOriginLabel})
    labels.erase(std::string(label));
  for (const std::string_view mark : {kWorkloadUidAnnotation, kMemberUidAnnotation,
                                      kManagerUidAnnotation, kTemplateUidAnnotation})
    annotations.erase(std::string(mark));
}

}  // namespace

json CopyMetadata(const json& source, const ObjectKey& key, const std::string& workload_uid,
                  const Identity& us) {
  const json& metadata = Member(source, "metadata");
  json labels = StringMap(metadata, "labels");
  json annotations = StringMap(metadata, "annotations");
  DropMarks(labels, annotations);
  labels[std::string(kOriginLabel)] = us.origin;
  annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
  annotations[std::string(kWorkloadUidAnnotation)] = workload_uid;
  if (!us.manager.empty()) annotations[std::string(kManagerUidAnnotation)] = us.manager;
  return {{"namespace", key.ns},
          {"name", key.name},
          {"labels", std::move(labels)},
          {"annotations", std::move(annotations)}};
}

}  // namespace fedra::tracking
