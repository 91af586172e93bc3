#pragma once
//
// What pod templates ask for, wherever they stand: in a Workload's pod sets or in a job.
//
// Pure functions.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dra/model/pod_demand.h"
#include "dra/requirement.h"

namespace fedra::tracking {

// `object` is a core/v1 PodTemplateSpec and outlives it; a negative count reads as none.
struct PodTemplate {
  std::string name;
  int count = 1;
  const nlohmann::json* object = nullptr;
};

// Names of claims only: what must exist.
std::vector<dra::PodSet> ReadPodSets(std::span<const PodTemplate> templates);

// What else the pods name, without what they call optional.
std::vector<dra::Dependency> ReadDependencies(std::span<const PodTemplate> templates);

// Other schedulers than kube-scheduler that the pods name.
std::vector<std::string> ReadSchedulers(std::span<const PodTemplate> templates);

// Everything that decides where the pods fit.
using Demands = std::shared_ptr<const std::vector<dra::PodDemand>>;
Result<Demands> ReadDemands(std::span<const PodTemplate> templates);

// Whether devices have a say: claims, or resources that a device class or plugin provides. Nothing
// else of a pod is judged against a worker's nodes: its quota is Kueue's business.
bool NeedDevices(std::span<const dra::PodDemand> demands);

}  // namespace fedra::tracking
