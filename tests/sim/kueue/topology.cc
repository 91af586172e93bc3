// Topology-aware scheduling as others see it: pkg/scheduler/flavorassigner/tas_flavorassigner.go,
// and isTASOnly of pkg/cache/scheduler/clusterqueue.go, of Kueue 0.19.2. Which domains pods are
// given depends on nodes, and is left out.

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"

namespace fedra::sim {
namespace {

// What a pod set asks for with one of its pods' annotations; null pointer: nothing.
const Json* RequestOf(const Json& pod_set) {
  const Json* request = At(pod_set, {"topologyRequest"});
  const auto has = [request](const char* how) { return request->contains(how); };
  const bool asks =
      request != nullptr && (has("required") || has("preferred") || has("unconstrained"));
  return asks ? request : nullptr;
}

bool HasLevel(const Json& topology, std::string_view label) {
  return std::ranges::any_of(ArrayAt(topology, {"spec", "levels"}), [&](const Json& level) {
    return StringAt(level, {"nodeLabel"}) == label;
  });
}

}  // namespace

std::string KueueController::TopologyOf(const Store& store, const std::string& flavor) const {
  const Object* found = store.Find(flavors_, {"", flavor});
  return found == nullptr ? "" : std::string(StringAt(found->body, {"spec", "topologyName"}));
}

std::string KueueController::WhyFlavorUnsuited(const Store& store, const std::string& flavor,
                                               const Json& pod_set,
                                               bool has_only_topologies) const {
  const std::string name = TopologyOf(store, flavor);
  const Json* request = RequestOf(pod_set);
  if (request == nullptr) {
    if (name.empty() || has_only_topologies) return "";
    return fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", flavor);
  }
  if (name.empty())
    return fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling", flavor);
  const Object* topology = store.Find(topologies_, {"", name});
  if (topology == nullptr)
    return fmt::format("Flavor \"{}\" information missing in TAS cache", flavor);
  for (const char* how : {"required", "preferred"}) {
    const std::string_view label = StringAt(*request, {how});
    if (!label.empty() && !HasLevel(topology->body, label))
      return fmt::format("Flavor \"{}\" does not contain the requested level", flavor);
  }
  return "";
}

// Of a ClusterQueue with a check of MultiKueue's the topology is left to the worker.
std::string KueueController::AssignTopology(const Store& store, const Object& cluster_queue,
                                            const Json& workload, Json& admission) const {
  const std::vector<std::string> checks = CheckNames(cluster_queue.body);
  const bool delays = std::ranges::any_of(checks, [&](const std::string& name) {
    const Object* check = store.Find(checks_, {"", name});
    return check != nullptr &&
           StringAt(check->body, {"spec", "controllerName"}) == names::kManagedBy;
  });
  // Who uses such a queue asks for a topology without saying so.
  bool has_only_topologies = true;
  for (const Json& group : ArrayAt(cluster_queue.body, {"spec", "resourceGroups"}))
    for (const Json& flavor : ArrayAt(group, {"flavors"}))
      if (TopologyOf(store, std::string(StringAt(flavor, {"name"}))).empty())
        has_only_topologies = false;
  const Json& sets = ArrayAt(workload, {"spec", "podSets"});
  for (size_t i = 0; i < sets.size(); ++i) {
    Json& assignment = admission["podSetAssignments"][i];
    const Json* flavors = At(assignment, {"flavors"});
    if (flavors == nullptr) continue;
    for (const auto& flavor : flavors->items()) {
      std::string unsuited =
          WhyFlavorUnsuited(store, flavor.value().get<std::string>(), sets[i], has_only_topologies);
      if (!unsuited.empty()) return unsuited;
    }
    const bool asks = has_only_topologies || RequestOf(sets[i]) != nullptr;
    if (!asks || IntAt(assignment, {"count"}) == 0) continue;
    if (delays) {
      assignment["delayedTopologyRequest"] = "Pending";
    } else {
      assignment["topologyAssignment"] = {{"levels", {"kubernetes.io/hostname"}},
                                          {"slices", Json::array()}};
    }
  }
  return "";
}

}  // namespace fedra::sim
