#pragma once
//
// What the pods of one pod set ask of a cluster, apart from its name: claims, node constraints and
// resources, as the scheduler sees them. Plain values.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "dra/model/model.h"
#include "dra/model/parse.h"
#include "dra/model/pool.h"

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

// Where a pod may run.
struct NodeConstraints {
  std::vector<std::pair<Symbol, Symbol>> labels;  // spec.nodeSelector
  std::shared_ptr<const NodeSelector> affinity;   // required node affinity; null: none
  std::vector<Toleration> tolerations;            // of node taints

  bool operator==(const NodeConstraints& other) const;  // affinity by content
};

// A container's requests, for extended resources: which container asks decides which request of the
// generated claim it is.
struct ContainerRequests {
  bool init = false;
  bool sidecar = false;  // an init container that keeps running (restartPolicy Always)
  Amounts requests;

  bool operator==(const ContainerRequests&) const = default;
};

// What the scores of kube-scheduler count of cpu and memory for containers that ask for none.
inline constexpr std::string_view kUnrequestedCpu = "unrequested:cpu";
inline constexpr std::string_view kUnrequestedMemory = "unrequested:memory";

struct PodDemand {
  std::string name;  // of the pod set
  int count = 1;
  int least = 0;  // of them that Kueue may admit instead of all (partial admission); 0: all
  std::vector<ClaimReference> claims;
  NodeConstraints node;
  Amounts requests;  // what the node must have, per resource name, pods left out
  // Under the two names above. No node has such resources, and no pod needs them.
  Amounts unrequested;
  std::vector<ContainerRequests> containers;  // init containers first, in order
  std::vector<std::string>
      container_claims;  // pod_claims, once for each time a container names one
  // Resources that spec.resources asks for (pod level): how much of it the containers leave.
  Amounts pod_level_left;
  // Ports of the node that the pod takes, one of each: "hostPort:TCP:8080", on whatever address,
  // and "hostPort:TCP:8080@10.0.0.1", on that one; all are "@0.0.0.0".
  Amounts host_ports;
  std::vector<Symbol> free_ports;  // of the same names: those that no other pod may have
  // Fields of spec that demand something of the node and are not looked at: "affinity.podAffinity".
  std::vector<std::string> unread;
  std::string pod_group;  // spec.schedulingGroup.podGroupName; empty: of none

  bool operator==(const PodDemand&) const = default;
};

// What running pods hold, per node name, "pods" and PodDemand::unrequested included.
using NodeUse = std::map<Symbol, Amounts>;

// From a pod template (or pod): reads `spec`. Requests that are absent take the limits, as the API
// server's defaulting does; cpu, memory and huge pages of spec.resources (pod level) count instead
// of the containers' sum.
Result<PodDemand> ParsePodDemand(const nlohmann::json& pod_template, ParseContext& context);

// A PodGroup of scheduling.k8s.io: what its pods share. The API server drops the claims where the
// gate DRAWorkloadResourceClaims is off, so those that are there count (Kubernetes v1.36.3,
// pkg/registry/scheduling/podgroup/strategy.go: dropDisabledDRAWorkloadResourceClaimsFields).
struct PodGroup {
  // An entry of spec.resourceClaims with a template.
  struct Claim {
    std::string name;
    std::string template_name;
    std::string generated;  // made for the group, by status.resourceClaimStatuses; empty: not yet

    bool operator==(const Claim&) const = default;
  };

  ObjectKey key;
  std::vector<Claim> claims;  // named ones left out: they are shared with or without a group
  // spec.schedulingPolicy.gang.minCount: none of its pods is scheduled before so many exist (plugin
  // GangScheduling of kube-scheduler v1.36, gangscheduling.go: PreEnqueue). 0: no gang.
  int64_t min_count = 0;
  // Fields of its spec that demand something of its pods' places and are not looked at:
  // schedulingConstraints (TopologyAwareWorkloadScheduling), parentCompositePodGroupName.
  std::vector<std::string> unread;

  bool operator==(const PodGroup&) const = default;
};

Result<PodGroup> ParsePodGroup(const nlohmann::json& object);

// Notes which claims the pods share as members of this group of their namespace: entries of the
// same name and template, as resourceclaim.BindTo of k8s.io/dynamic-resource-allocation v0.36.3
// matches them. Without effect on pods of another group.
void ShareWithPodGroup(const PodGroup& group, PodDemand& demand);

}  // namespace fedra::dra
