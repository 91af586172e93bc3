#include "manager/tracking/kinds/leader_worker_set.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::tracking {

std::vector<PodTemplate> LeaderWorkerSetPods(const nlohmann::json& object) {
  const nlohmann::json& group = Path(object, {"spec", "leaderWorkerTemplate"});
  const nlohmann::json& leader = Member(group, "leaderTemplate");
  const nlohmann::json& worker = Member(group, "workerTemplate");
  Result<int> size = ReadNumber(group, "size", 1);
  std::vector<PodTemplate> pods;
  if (leader.is_null()) {
    pods.push_back({.name = "main", .count = std::move(size), .object = &worker});
    return pods;
  }
  if (size) size = *size - 1;
  pods.push_back({.name = "leader", .count = 1, .object = &leader});
  pods.push_back({.name = "worker", .count = std::move(size), .object = &worker});
  return pods;
}

}  // namespace fedra::tracking
