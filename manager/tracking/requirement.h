#pragma once
//
// What a workload asks for, independent of any cluster: extracted once from its pod sets.
// Plain values.

#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "cluster-clients/kube/resource.h"
#include "dra/model/pod_demand.h"

namespace fedra::tracking {

// Another object that the pods name and cannot start without.
struct Dependency {
  enum class Kind {
    kConfigMap,
    kSecret,
    kPersistentVolumeClaim,
    kServiceAccount,
    kPriorityClass,
    kRuntimeClass,
    kPodGroup,
  };
  Kind kind = Kind::kConfigMap;
  std::string name;

  auto operator<=>(const Dependency&) const = default;
};

// Another object that the job itself names, whose spec decides what its operator runs: a TrainJob's
// runtime.
struct Reference {
  kube::Resource resource;
  ObjectKey key;  // without namespace where the resource has none

  bool operator==(const Reference&) const = default;
};

// What a pod set names: of its demand as much as is kept for a workload that only waits.
struct PodSet {
  std::string name;
  int count = 1;
  std::vector<dra::ClaimReference> claims;
};

// What the pods need of devices and nodes: a demand per pod set.
using Demands = std::shared_ptr<const std::vector<dra::PodDemand>>;

struct Requirement {
  std::string ns;
  std::string queue;  // LocalQueue name
  std::string kind;   // the job's kind with its group, "Job.batch"
  std::vector<PodSet> pod_sets;
  // Of a Workload kept as long as its text; null otherwise, and when a pod template cannot be read,
  // which no API server lets happen.
  Demands demands = nullptr;
  // What Kueue counts in its quotas, of a job whose Workload does not show what its pods ask for;
  // null: `demands`.
  Demands counted = nullptr;
  std::vector<Dependency> dependencies;  // ascending, each once
  // That pods name in spec.schedulerName, kube-scheduler's own name left out; ascending, each once.
  std::vector<std::string> schedulers = {};
  // Of the job alone: its Workload does not show them. In the order of the kind's rules.
  std::vector<Reference> references = {};
  // What of the workload cannot be read, "count must be a whole number, not "3"": then the rest is
  // not to be relied on. Empty: everything can.
  std::string unreadable = {};

  int Pods() const;
  // Names without repetition, in order of appearance.
  std::vector<std::string> TemplateNames() const;
  std::vector<std::string> ClaimNames() const;
};

}  // namespace fedra::tracking
