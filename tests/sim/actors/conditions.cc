#include "tests/sim/actors/conditions.h"

#include <algorithm>

#include "base/time.h"

namespace fedra::sim {

const Json* FindCondition(const Json& status, std::string_view type) {
  return EntryNamed(ArrayAt(status, {"conditions"}), "type", type);
}

bool IsTrue(const Json& status, std::string_view type) {
  const Json* condition = FindCondition(status, type);
  return condition != nullptr && StringAt(*condition, {"status"}) == "True";
}

bool IsFalse(const Json& status, std::string_view type) {
  const Json* condition = FindCondition(status, type);
  return condition != nullptr && StringAt(*condition, {"status"}) == "False";
}

bool SetCondition(Json& status, const Condition& condition, int64_t generation) {
  const Json* found = FindCondition(status, condition.type);
  Json wanted = {{"type", condition.type},
                 {"status", condition.status ? "True" : "False"},
                 {"reason", condition.reason},
                 {"message", condition.message},
                 {"observedGeneration", generation}};
  if (found == nullptr) {
    wanted["lastTransitionTime"] = Timestamp();
    Json& list = status["conditions"];
    if (!list.is_array()) list = Json::array();
    list.push_back(std::move(wanted));
    return true;
  }
  const bool same_status = StringAt(*found, {"status"}) == StringAt(wanted, {"status"});
  const std::string_view since = StringAt(*found, {"lastTransitionTime"});
  wanted["lastTransitionTime"] = same_status && !since.empty() ? std::string(since) : Timestamp();
  if (*found == wanted) return false;
  const_cast<Json&>(*found) = std::move(wanted);
  return true;
}

bool RemoveCondition(Json& status, std::string_view type) {
  const auto list = status.find("conditions");
  if (list == status.end() || FindCondition(status, type) == nullptr) return false;
  list->erase(std::remove_if(list->begin(), list->end(),
                             [type](const Json& c) { return StringAt(c, {"type"}) == type; }),
              list->end());
  return true;
}

std::string Timestamp() { return FormatRfc3339(SystemClock().Now()); }

}  // namespace fedra::sim
