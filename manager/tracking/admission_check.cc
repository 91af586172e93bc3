#include "manager/tracking/admission_check.h"

#include <tuple>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_text.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {

using nlohmann::json;

namespace {

Cordons ReadCordons(const json& metadata) {
  Cordons cordons;
  const json& annotations = Member(metadata, "annotations");
  if (!annotations.is_object()) return cordons;
  for (const auto& [key, value] : annotations.items()) {
    const std::string_view name = key;
    const bool drains = name.starts_with(kDrainPrefix);
    if ((!drains && !name.starts_with(kCordonPrefix)) || !value.is_string()) continue;
    const size_t prefix = drains ? kDrainPrefix.size() : kCordonPrefix.size();
    Cordon& cordon = cordons[ClusterName(std::string(name.substr(prefix)))];
    if (cordon.drains) continue;
    cordon = {drains, kube::OneLine(value.get_ref<const std::string&>(), kMaxCordonReason)};
  }
  return cordons;
}

}  // namespace

Result<AdmissionCheck> ParseAdmissionCheck(const json& object) {
  const json& metadata = Member(object, "metadata");
  const json& spec = Member(object, "spec");
  AdmissionCheck check;
  check.name = Text(metadata, "name");
  check.uid = Text(metadata, "uid");
  if (check.name.empty()) return Fail(ErrorCode::kBadResponse, "an AdmissionCheck without name");
  FEDRA_ASSIGN_OR_RETURN(check.active, ReadActive(object));
  check.cordons = ReadCordons(metadata);
  check.controller_name = Text(spec, "controllerName");
  const json& parameters = Member(spec, "parameters");
  check.parameters_group = Text(parameters, "apiGroup");
  check.parameters_kind = Text(parameters, "kind");
  check.parameters_name = Text(parameters, "name");
  return check;
}

bool AskTheSame(const AdmissionCheck& a, const AdmissionCheck& b) {
  const auto asked = [](const AdmissionCheck& check) {
    return std::tie(check.name, check.uid, check.controller_name, check.parameters_group,
                    check.parameters_kind, check.parameters_name, check.cordons);
  };
  return asked(a) == asked(b);
}

Result<MultiKueueConfig> ParseMultiKueueConfig(const json& object) {
  MultiKueueConfig config{.name = Text(Member(object, "metadata"), "name"), .clusters = {}};
  if (config.name.empty()) return Fail(ErrorCode::kBadResponse, "a MultiKueueConfig without name");
  const json& clusters = Path(object, {"spec", "clusters"});
  if (!clusters.is_array()) return config;
  for (const json& cluster : clusters) {
    if (cluster.is_string()) config.clusters.push_back(cluster.get<std::string>());
  }
  return config;
}

}  // namespace fedra::tracking
