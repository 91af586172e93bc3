#pragma once
//
// A ClusterQueue of the manager, as far as it orders the jobs that wait for workers. Plain values.
// Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::tracking {

struct SharedQueue {
  std::string name;
  std::string order;             // its annotation fedra.dev/order; empty: none
  std::optional<double> weight;  // spec.fairSharing.weight; nothing: none, or no number

  bool operator==(const SharedQueue&) const = default;
};

Result<SharedQueue> ParseSharedQueue(const nlohmann::json& object);

}  // namespace fedra::tracking
