#pragma once
//
// The condition Active that the controller of an AdmissionCheck or a MultiKueueCluster keeps on it.
// Pure. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/types.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

struct ActiveCondition {
  bool is_active = false;
  std::string reason;  // "Active", "BadConfig", "ClientConnectionFailed", ...: Kueue's own words
  std::string message;

  bool operator==(const ActiveCondition&) const = default;
};

// An object that has such a condition, as it was looked at.
struct ActiveState {
  ResourceVersion version;
  int generation = 0;
  std::optional<Condition> condition;  // null: there is none
  int observed_generation = 0;         // of that condition
};

// Reads the condition off the status. An error: a number is none.
Result<ActiveState> ReadActive(const nlohmann::json& object);
// Whether the object says this of its present generation.
bool Says(const ActiveState& state, const ActiveCondition& condition);
// A merge patch for the status subresource; replaces the list of conditions, of which Kueue writes
// no other one, bound to the resourceVersion.
std::string ActivePatch(const ActiveState& state, const ActiveCondition& condition, WallTime now);

}  // namespace fedra::tracking
