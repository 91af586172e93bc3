#include "manager/tracking/active_condition.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {

using nlohmann::json;

Result<ActiveState> ReadActive(const json& object) {
  const json& metadata = Member(object, "metadata");
  ActiveState state;
  state.version = ResourceVersion(Text(metadata, "resourceVersion"));
  FEDRA_ASSIGN_OR_RETURN(state.generation, ReadNumber(metadata, "generation", 0));
  const json& active = ConditionOf(Member(object, "status"), kActive);
  if (active.is_null()) return state;
  state.condition = Condition{Text(active, "status") == "True", Text(active, "reason"),
                              Text(active, "message"), Time(active, "lastTransitionTime")};
  FEDRA_ASSIGN_OR_RETURN(state.observed_generation, ReadNumber(active, "observedGeneration", 0));
  return state;
}

bool Says(const ActiveState& state, const ActiveCondition& condition) {
  return state.condition && state.condition->is_true == condition.is_active &&
         state.condition->reason == condition.reason &&
         state.condition->message == condition.message &&
         state.observed_generation == state.generation;
}

std::string ActivePatch(const ActiveState& state, const ActiveCondition& condition, WallTime now) {
  const bool changed = !state.condition || state.condition->is_true != condition.is_active;
  const WallTime since = changed ? now : state.condition->since;
  const json entry{{"type", kActive},
                   {"status", condition.is_active ? "True" : "False"},
                   {"reason", condition.reason},
                   {"message", condition.message},
                   {"observedGeneration", state.generation},
                   {"lastTransitionTime", FormatRfc3339(since)}};
  return Dump(json{{"metadata", {{"resourceVersion", state.version.value}}},
                   {"status", {{"conditions", json::array({entry})}}}});
}

}  // namespace fedra::tracking
