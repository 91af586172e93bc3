#include "manager/templates/copy_document.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/verify/template_canonical.h"

namespace fedra::templates {

using nlohmann::json;

std::string CopyDocument(const verify::ClaimSummary& original, std::string_view api_version,
                         const tracking::Identity& us, std::string_view expected) {
  json spec = json::parse(original.spec, nullptr, /*allow_exceptions=*/false);
  if (api_version == "v1beta1") spec = verify::TemplateSpecInV1Beta1(std::move(spec));
  json metadata = {
      {"namespace", original.key.ns}, {"name", original.key.name}, {"resourceVersion", expected}};
  metadata["labels"][std::string(tracking::kCopyOriginLabel)] = us.origin;
  metadata["annotations"][std::string(tracking::kTemplateUidAnnotation)] = original.uid;
  if (!us.manager.empty())
    metadata["annotations"][std::string(tracking::kManagerUidAnnotation)] = us.manager;
  if (!original.capabilities.empty()) {
    metadata["annotations"][std::string(tracking::kCapabilitiesAnnotation)] =
        fmt::format("{}", fmt::join(original.capabilities, ","));
  }
  kube::Resource resource = tracking::kTemplates;
  resource.version = api_version;
  return tracking::Dump({{"apiVersion", resource.ApiVersion()},
                         {"kind", resource.kind},
                         {"metadata", std::move(metadata)},
                         {"spec", std::move(spec)}});
}

}  // namespace fedra::templates
