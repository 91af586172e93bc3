#include "cluster-clients/watch/meta.h"

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_fields.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::watch {
namespace {

Result<Meta> WithName(Meta meta) {
  if (meta.key.name.empty())
    return Fail(ErrorCode::kBadResponse, "an object without metadata.name");
  return meta;
}

}  // namespace

Result<Meta> ReadMeta(const nlohmann::json& object) {
  if (!object.is_object()) return Fail(ErrorCode::kBadResponse, "not a JSON object");
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return WithName({});
  return WithName({{kube::Text(*metadata, "namespace"), kube::Text(*metadata, "name")},
                   ResourceVersion(kube::Text(*metadata, "resourceVersion")),
                   kube::Text(*metadata, "uid")});
}

Result<Meta> ScanMeta(std::string_view object) {
  const auto metadata = kube::FindMember(object, "metadata");
  if (!metadata) return WithName({});
  const auto members =
      kube::ReadMembers(*metadata, {"namespace", "name", "resourceVersion", "uid"});
  if (!members) return WithName({});
  const auto text = [&](size_t i) { return kube::Unquote((*members)[i]).value_or(""); };
  return WithName({{text(0), text(1)}, ResourceVersion(text(2)), text(3)});
}

}  // namespace fedra::watch
