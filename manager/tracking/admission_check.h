#pragma once
//
// AdmissionCheck and MultiKueueConfig of the manager: which queues are ours, which workers they may
// use, and which of those are out of service. Plain values. Source: kueue.x-k8s.io/v1beta2 of Kueue
// 0.19.2.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"
#include "manager/tracking/active_condition.h"

namespace fedra::tracking {

// What an administrator wants of a worker: its annotation cordon.fedra.dev/WORKER, or
// drain.fedra.dev/WORKER, on a check. The value is the reason, for people.
struct Cordon {
  bool drains = false;  // what runs there is taken back, too
  std::string reason;   // one line; may be empty

  bool operator==(const Cordon&) const = default;
};
// How a worker that is out of service is shown beside its state, and stored.
inline constexpr std::string_view kCordonedName = "Cordoned";
inline constexpr std::string_view kDrainingName = "Draining";
constexpr std::string_view NameOf(const Cordon& cordon) {
  return cordon.drains ? kDrainingName : kCordonedName;
}
inline constexpr std::string_view kCordonPrefix = "cordon.fedra.dev/";
inline constexpr std::string_view kDrainPrefix = "drain.fedra.dev/";
// The reason's bytes; of a longer one the rest is "...".
inline constexpr size_t kMaxCordonReason = 200;

// By worker.
using Cordons = std::map<ClusterName, Cordon>;

struct AdmissionCheck {
  std::string name;
  std::string uid;
  ActiveState active;
  std::string controller_name;
  // spec.parameters; all empty when absent: all configured workers.
  std::string parameters_group;
  std::string parameters_kind;
  std::string parameters_name;
  Cordons cordons;

  bool HasParameters() const {
    return !parameters_group.empty() || !parameters_kind.empty() || !parameters_name.empty();
  }
};

// Whether they differ in nothing but `active`, which controllers write.
bool AskTheSame(const AdmissionCheck& a, const AdmissionCheck& b);

// The workers a check may use, in order of preference.
struct MultiKueueConfig {
  std::string name;
  std::vector<std::string> clusters;
};

Result<AdmissionCheck> ParseAdmissionCheck(const nlohmann::json& object);
Result<MultiKueueConfig> ParseMultiKueueConfig(const nlohmann::json& object);

}  // namespace fedra::tracking
