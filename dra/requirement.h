#pragma once
//
// What a workload asks for, independent of any cluster: extracted once from its pod sets.
// Plain values.

#include <string>
#include <vector>

namespace fedra::dra {

// One entry of a pod's spec.resourceClaims.
struct ClaimReference {
  std::string pod_claim;      // its name inside the pod
  std::string template_name;  // resourceClaimTemplateName; a claim per pod
  std::string claim_name;  // resourceClaimName; one claim shared by all users. Exactly one of the
                           // two is set
  // The PodGroup that lists the same entry: its pods then share one claim made from the template
  // (where AllocatorFeatures::workload_claims). Empty: a claim per pod.
  std::string pod_group = {};
  std::string group_claim = {};  // the claim that was made for that group; empty: not yet

  auto operator<=>(const ClaimReference&) const = default;
};

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

struct PodSet {
  std::string name;
  int count = 1;
  std::vector<ClaimReference> claims;
};

struct Requirement {
  std::string ns;
  std::string queue;  // LocalQueue name
  std::string kind;   // the job's kind with its group, "Job.batch"
  std::vector<PodSet> pod_sets;
  std::vector<Dependency> dependencies;  // ascending, each once
  // That pods name in spec.schedulerName, kube-scheduler's own name left out; ascending, each once.
  std::vector<std::string> schedulers = {};
  // What of the workload cannot be read, "count must be a whole number, not "3"": then the rest is
  // not to be relied on. Empty: everything can.
  std::string unreadable = {};

  int Pods() const;
  // Names without repetition, in order of appearance.
  std::vector<std::string> TemplateNames() const;
  std::vector<std::string> ClaimNames() const;
};

}  // namespace fedra::dra
