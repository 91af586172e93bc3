#include "manager/cli/migration/kueue_setup.h"

#include <nlohmann/json.hpp>

#include "config/yaml_json.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

constexpr std::string_view kKueueFile = "controller_manager_config.yaml";

}  // namespace

Result<KueueSetup> ParseKueueSetup(const nlohmann::json& config_map) {
  const std::string text = tracking::Text(tracking::Member(config_map, "data"), kKueueFile);
  if (text.empty())
    return Fail(ErrorCode::kBadResponse, "the ConfigMap has no controller_manager_config.yaml");
  FEDRA_ASSIGN_OR_RETURN(const std::vector<std::string> documents, config::YamlToJson(text));
  if (documents.empty())
    return Fail(ErrorCode::kBadResponse, "its controller_manager_config.yaml is empty");
  const auto configuration = nlohmann::json::parse(documents.front());
  KueueSetup setup;
  const nlohmann::json& gate =
      tracking::Member(tracking::Member(configuration, "featureGates"), "MultiKueue");
  setup.runs_multi_kueue = !gate.is_boolean() || gate.get<bool>();
  const nlohmann::json& settings = tracking::Member(configuration, "multiKueue");
  if (std::string origin = tracking::Text(settings, "origin"); !origin.empty())
    setup.origin = std::move(origin);
  setup.dispatcher = tracking::Text(settings, "dispatcherName");
  return setup;
}

}  // namespace fedra::cli
