#include "tests/sim/kinds/stateful_set.h"

#include <optional>
#include <vector>

#include "tests/sim/actors/conditions.h"

namespace fedra::sim {

JobKind StatefulSet() {
  JobKind kind{"apps",
               "v1",
               "statefulsets",
               "StatefulSet",
               {},
               {"spec", "template", "metadata", "annotations", "sim.fedra.dev/gated"},
               "",
               {},
               {},
               {},
               {},
               {},
               {},
               {},
               {}};
  kind.suspended = "true";
  kind.has_group = true;
  // Of the template its spec alone.
  kind.pod_sets = [](const Json& set) {
    const Json pod_template{{"spec", set["spec"]["template"]["spec"]}};
    return Json::array({{{"name", "main"},
                         {"count", IntAt(set, {"spec", "replicas"}, 1)},
                         {"template", pod_template}}});
  };
  // What Kueue writes at the start it writes into the pods.
  kind.templates = [](Json&) { return std::vector<Json*>(); };
  kind.active = [](const Json& status) { return IntAt(status, {"readyReplicas"}, 0) > 0; };
  kind.end = [](const Json&) -> std::optional<JobEnd> { return std::nullopt; };
  kind.run = [](const Json& pod_sets, Json& status) {
    status["replicas"] = pod_sets[0]["count"];
    status["readyReplicas"] = pod_sets[0]["count"];
  };
  kind.finish = [](bool, Json&) {};
  // With their gates the first one never becomes ready, and the second is not made.
  kind.stop = [](Json& status) {
    status["replicas"] = 1;
    status["readyReplicas"] = 0;
  };
  return kind;
}

}  // namespace fedra::sim
