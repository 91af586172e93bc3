#pragma once
//
// What the pods of one pod set ask of a cluster, apart from its name: claims, node constraints and
// resources, as the scheduler sees them. Plain values.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "dra/model.h"
#include "dra/parse.h"
#include "dra/pool.h"
#include "dra/requirement.h"

namespace fedra::dra {

// Where a pod may run.
struct NodeConstraints {
  std::vector<std::pair<Text, Text>> labels;     // spec.nodeSelector
  std::shared_ptr<const NodeSelector> affinity;  // required node affinity; null: none
  std::vector<Toleration> tolerations;           // of node taints

  bool operator==(const NodeConstraints& other) const;  // affinity by content
};

// A container's requests, for extended resources: which container asks decides which request of the
// generated claim it is.
struct ContainerRequests {
  bool init = false;
  bool sidecar = false;  // an init container that keeps running (restartPolicy Always)
  Amounts requests;
};

struct PodDemand {
  std::string name;  // of the pod set
  int count = 1;
  std::vector<ClaimReference> claims;
  NodeConstraints node;
  Amounts requests;  // what the node must have, per resource name, pods left out
  std::vector<ContainerRequests> containers;  // init containers first, in order
};

// From a pod template (or pod): reads `spec`. Requests that are absent take the limits, as the API
// server's defaulting does; spec.resources (pod level) counts instead of the containers' sum.
Result<PodDemand> ParsePodDemand(const nlohmann::json& pod_template, ParseContext& context);

}  // namespace fedra::dra
