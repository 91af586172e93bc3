#pragma once
//
// AdmissionCheck and MultiKueueConfig of the manager: which queues are ours, and which workers they
// may use. Plain values. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/active_condition.h"

namespace fedra::tracking {

struct AdmissionCheck {
  std::string name;
  std::string uid;
  ActiveState active;
  std::string controller_name;
  // spec.parameters; all empty when absent: all configured workers.
  std::string parameters_group;
  std::string parameters_kind;
  std::string parameters_name;

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

}  // namespace fedra::tracking
