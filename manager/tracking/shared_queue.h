#pragma once
//
// A ClusterQueue of the manager: how it orders the jobs that wait for workers, whether it admits
// any, and by which checks. Plain values. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::tracking {

struct SharedQueue {
  std::string name;
  std::string order;             // its annotation fedra.dev/order; empty: none
  std::optional<double> weight;  // spec.fairSharing.weight; nothing: none, or no number
  // Its LocalQueues share what it gets (spec.admissionScope: UsageBasedAdmissionFairSharing).
  bool local_queues_share = false;
  std::string why_inactive;  // Kueue's words when its condition Active is False; else empty
  // AdmissionChecks that each of its jobs needs, whatever its flavors
  // (spec.admissionChecksStrategy, without those that have onFlavors).
  std::vector<std::string> checks = {};

  bool operator==(const SharedQueue&) const = default;
};

// spec.fairSharing.weight of a ClusterQueue or a LocalQueue; nothing: none, or no number.
std::optional<double> FairSharingWeight(const nlohmann::json& queue);

Result<SharedQueue> ParseSharedQueue(const nlohmann::json& object);

}  // namespace fedra::tracking
