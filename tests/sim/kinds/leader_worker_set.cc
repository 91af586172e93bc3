#include "tests/sim/kinds/leader_worker_set.h"

namespace fedra::sim {

JobKind LeaderWorkerSet() {
  JobKind kind;
  kind.group = "leaderworkerset.x-k8s.io";
  kind.version = "v1";
  kind.plural = "leaderworkersets";
  kind.kind = "LeaderWorkerSet";
  kind.suspend = {"metadata", "annotations", "sim.fedra.dev/gated"};
  kind.suspended = "true";
  kind.has_group = true;
  kind.parts = [](const Json& set) { return IntAt(set, {"spec", "replicas"}, 1); };
  kind.pod_sets = [](const Json& set) {
    const Json& group = set["spec"]["leaderWorkerTemplate"];
    const int64_t size = IntAt(group, {"size"}, 1);
    Json pod_sets = Json::array();
    const bool has_leader = group.contains("leaderTemplate");
    if (has_leader)
      pod_sets.push_back({{"name", "leader"}, {"count", 1}, {"template", group["leaderTemplate"]}});
    pod_sets.push_back({{"name", has_leader ? "worker" : "main"},
                        {"count", has_leader ? size - 1 : size},
                        {"template", group["workerTemplate"]}});
    return pod_sets;
  };
  kind.templates = [](Json&) { return std::vector<Json*>(); };
  kind.active = [](const Json& status) { return IntAt(status, {"readyReplicas"}, 0) > 0; };
  kind.end = [](const Json&) -> std::optional<JobEnd> { return std::nullopt; };
  return kind;
}

}  // namespace fedra::sim
