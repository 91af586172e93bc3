#pragma once
//
// The ClusterQueue behind a job's LocalQueue: is it stopped, could it ever admit the job, has it
// room for it now? Only what is certain refuses a worker: a resource that no resource group covers,
// and pods of one set that together want more than its largest flavor may ever hold. What a cohort
// lends without a limit is not bounded here. Each set and each resource is looked at alone: Kueue,
// which looks at all of them together, may still find no room.
//
// What workloads that were dispatched there will take has no flavor yet. It is taken to fill the
// flavors in the order of the spec, as Kueue tries them; which of them suit a pod's nodes is not
// looked at.
//
// Source: pkg/scheduler/flavorassigner/flavorassigner.go of Kueue 0.19: findFlavorForPodSets
// ("resource ... unavailable in ClusterQueue"), fitsResourceQuota ("request > maximum capacity").
//
// Pure functions on plain values.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/quantity.h"
#include "base/result.h"
#include "dra/model/pod_demand.h"
#include "manager/verify/quota_amounts.h"
#include "verdict/reason.h"

namespace fedra::verify {

// spec.stopPolicy of LocalQueues and ClusterQueues: Hold admits nothing more, HoldAndDrain also
// evicts what runs.
enum class StopPolicy { kNone, kHold, kHoldAndDrain };
// `spec` is that of either kind.
StopPolicy ReadStopPolicy(const nlohmann::json& spec);

// What a ClusterQueue has of one resource in one flavor.
struct FlavorQuota {
  int place = 0;                    // among the flavors of its resource group, as the spec has them
  std::optional<Quantity> nominal;  // nothing: it cannot be read
  // What it may hold with all that it may borrow; nothing: only its cohort bounds it.
  std::optional<Quantity> most;
  Quantity reserved;  // by the workloads that are admitted now

  bool operator==(const FlavorQuota&) const = default;
};

struct ClusterQueue {
  std::string name;
  StopPolicy stop = StopPolicy::kNone;
  // By resource, then by flavor.
  std::map<std::string, std::map<std::string, FlavorQuota>> resources;

  bool operator==(const ClusterQueue&) const = default;
};

Result<ClusterQueue> ParseClusterQueue(const nlohmann::json& object);

// Whether the two differ in nothing but in what is reserved, which changes with every admission.
bool SameLimits(const ClusterQueue& a, const ClusterQueue& b);

// Whether a resource stands for devices, which Kueue counts by rules of its own: they are left out.
using IsDevice = std::function<bool(const std::string& resource)>;

// Why it never admits these pods (kQueueCannotHold); nothing: it may.
std::optional<verdict::Reason> WhyCannotHold(const ClusterQueue& queue,
                                             std::span<const dra::PodDemand> demands,
                                             const IsDevice& is_device);

// Why its own quota has no room for these pods now, although it could hold them (kQueueFull);
// nothing: it has, or only a cohort's quota would do. `dispatched`: what others will take of it,
// beside what its status counts.
std::optional<verdict::Reason> WhyFull(const ClusterQueue& queue,
                                       std::span<const dra::PodDemand> demands,
                                       const IsDevice& is_device,
                                       const QuotaAmounts& dispatched = {});

}  // namespace fedra::verify
