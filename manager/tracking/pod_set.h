#pragma once
//
// What pod templates ask for, wherever they stand: in a Workload's pod sets or in a job.
//
// Pure functions. Errors: kBadResponse, with the field's path, for a value of a type that no API
// server takes; what is not written has Kubernetes' default.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "dra/model/pod_demand.h"
#include "manager/tracking/requirement.h"

namespace fedra::tracking {

// `object` is a core/v1 PodTemplateSpec and outlives it.
struct PodTemplate {
  std::string name;
  Result<int> count = 1;  // an error: it cannot be read
  const nlohmann::json* object = nullptr;
  int least = 0;  // as of dra::PodDemand
  // The same, of a job that has none: made of its fields. Null: `object` stands in the job.
  std::shared_ptr<const nlohmann::json> made = nullptr;
  // Of one that is made of a template in the job: that.
  const nlohmann::json* made_of = nullptr;
};

// What else the pods name, without what they call optional.
Result<std::vector<Dependency>> ReadDependencies(std::span<const PodTemplate> templates);

// Other schedulers than kube-scheduler that the pods name.
std::vector<std::string> ReadSchedulers(std::span<const PodTemplate> templates);

// Everything that decides where the pods fit.
Result<Demands> ReadDemands(std::span<const PodTemplate> templates);
// All of it: fills the members of the requirement that are about pods.
Result<void> ReadPods(std::span<const PodTemplate> templates, Requirement& requirement);
// Of these the names of claims only: what must exist.
std::vector<PodSet> PodSetsOf(std::span<const dra::PodDemand> demands);

// Whether devices have a say: claims, or resources that a device class or plugin provides. Nothing
// else of a pod is judged against a worker's nodes: its quota is Kueue's business.
bool NeedDevices(std::span<const dra::PodDemand> demands);

}  // namespace fedra::tracking
