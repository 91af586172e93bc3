#pragma once
//
// Could the ClusterQueue behind a job's LocalQueue ever admit it? Only what is certain counts: a
// resource that no resource group covers, and pods of one set that together want more than its
// largest flavor may ever hold. What a cohort lends without a limit is not bounded here, and whether
// there is room now is Kueue's business.
//
// Source: pkg/scheduler/flavorassigner/flavorassigner.go of Kueue 0.19: findFlavorForPodSets
// ("resource ... unavailable in ClusterQueue"), fitsResourceQuota ("request > maximum capacity").
//
// Pure functions on plain values.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/quantity.h"
#include "base/result.h"
#include "dra/model/pod_demand.h"
#include "dra/reason.h"

namespace fedra::verify {

// The quota of a ClusterQueue, as spec.resourceGroups has it.
struct ClusterQueue {
  std::string name;
  // The most that one flavor may hold of each covered resource; nothing: its cohort sets the bound.
  std::map<std::string, std::optional<Quantity>> most;

  bool operator==(const ClusterQueue&) const = default;
};

Result<ClusterQueue> ParseClusterQueue(const nlohmann::json& object);

// Why it never admits these pods (kQueueCannotHold); nothing: it may. `devices`: extended resources
// that DeviceClasses stand for, which Kueue counts by rules of its own.
std::optional<dra::Reason> WhyCannotHold(const ClusterQueue& queue,
                                         std::span<const dra::PodDemand> demands,
                                         const std::set<std::string>& devices);

}  // namespace fedra::verify
