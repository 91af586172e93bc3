#pragma once
//
// AdmissionCheck and MultiKueueConfig of the manager: which queues are ours, and which workers they
// may use. Plain values. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

struct AdmissionCheck {
  std::string name;
  std::string uid;
  ResourceVersion version;
  int generation = 0;
  std::string controller_name;
  // spec.parameters; all empty when absent: all configured workers.
  std::string parameters_group;
  std::string parameters_kind;
  std::string parameters_name;
  std::optional<Condition> active;
  int active_generation = 0;  // observedGeneration of that condition

  bool HasParameters() const {
    return !parameters_group.empty() || !parameters_kind.empty() || !parameters_name.empty();
  }
};

// The workers a check may use, in order of preference.
struct MultiKueueConfig {
  std::string name;
  std::vector<std::string> clusters;
};

Result<AdmissionCheck> ParseAdmissionCheck(const nlohmann::json& object);
Result<MultiKueueConfig> ParseMultiKueueConfig(const nlohmann::json& object);

// The condition Active of a check of ours.
struct ActiveCondition {
  bool is_active = false;
  std::string
      reason;  // "Active", "SomeActiveClusters", "NoUsableClusters", "BadConfig": Kueue's own words
  std::string message;
};

// A merge patch for the status subresource; replaces the list of conditions, bound to the
// resourceVersion.
std::string ActivePatch(const AdmissionCheck& check, const ActiveCondition& condition,
                        WallTime now);

}  // namespace fedra::tracking
