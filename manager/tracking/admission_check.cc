#include "manager/tracking/admission_check.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {

using nlohmann::json;

Result<AdmissionCheck> ParseAdmissionCheck(const json& object) {
  const json& metadata = Member(object, "metadata");
  const json& spec = Member(object, "spec");
  AdmissionCheck check;
  check.name = Text(metadata, "name");
  check.uid = Text(metadata, "uid");
  if (check.name.empty()) return Fail(ErrorCode::kBadResponse, "an AdmissionCheck without name");
  check.version = ResourceVersion(Text(metadata, "resourceVersion"));
  FEDRA_ASSIGN_OR_RETURN(check.generation, ReadNumber(metadata, "generation", 0));
  check.controller_name = Text(spec, "controllerName");
  const json& parameters = Member(spec, "parameters");
  check.parameters_group = Text(parameters, "apiGroup");
  check.parameters_kind = Text(parameters, "kind");
  check.parameters_name = Text(parameters, "name");
  const json& active = ConditionOf(Member(object, "status"), kActive);
  if (active.is_null()) return check;
  check.active = Condition{Text(active, "status") == "True", Text(active, "reason"),
                           Text(active, "message"), Time(active, "lastTransitionTime")};
  FEDRA_ASSIGN_OR_RETURN(check.active_generation, ReadNumber(active, "observedGeneration", 0));
  return check;
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

std::string ActivePatch(const AdmissionCheck& check, const ActiveCondition& condition,
                        WallTime now) {
  const bool changed = !check.active || check.active->is_true != condition.is_active;
  const WallTime since = changed ? now : check.active->since;
  const json entry{{"type", kActive},
                   {"status", condition.is_active ? "True" : "False"},
                   {"reason", condition.reason},
                   {"message", condition.message},
                   {"observedGeneration", check.generation},
                   {"lastTransitionTime", FormatRfc3339(since)}};
  return Dump(json{{"metadata", {{"resourceVersion", check.version.value}}},
                   {"status", {{"conditions", json::array({entry})}}}});
}

}  // namespace fedra::tracking
