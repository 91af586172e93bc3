#include "tests/sim/kinds/pod.h"

#include <algorithm>
#include <string>

#include "tests/sim/actors/conditions.h"

namespace fedra::sim {

JobKind Pod() {
  JobKind kind{"", "v1", "pods", "Pod", {}, {}, "", {}, {}, {}, {}, {}, {}, {}, {}};
  kind.gate = "kueue.x-k8s.io/admission";
  kind.pod_sets = [](const Json& pod) {
    Json spec = pod["spec"];
    spec.erase("schedulingGates");
    Json metadata = Json::object();
    for (const char* field : {"labels", "annotations"})
      if (pod["metadata"].contains(field)) metadata[field] = pod["metadata"][field];
    const Json pod_template{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
    return Json::array({{{"name", "main"}, {"count", 1}, {"template", pod_template}}});
  };
  kind.templates = [](Json& pod) { return std::vector<Json*>{&pod}; };
  kind.active = [](const Json&) { return false; };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const std::string_view phase = StringAt(status, {"phase"});
    if (phase != "Succeeded" && phase != "Failed") return std::nullopt;
    return JobEnd{phase == "Succeeded", std::string(StringAt(status, {"message"}))};
  };
  kind.run = [](const Json&, Json& status) {
    status["phase"] = "Running";
    SetCondition(status, {"Ready", true, "", ""}, 0);
  };
  kind.finish = [](bool success, Json& status) {
    status["phase"] = success ? "Succeeded" : "Failed";
    SetCondition(status, {"Ready", false, "PodCompleted", ""}, 0);
  };
  kind.stop = [](Json&) {};
  return kind;
}

bool IsGated(const Json& pod, std::string_view gate) {
  const Json& gates = ArrayAt(pod, {"spec", "schedulingGates"});
  return std::any_of(gates.begin(), gates.end(),
                     [&](const Json& each) { return StringAt(each, {"name"}) == gate; });
}

void SetGate(bool gated, std::string_view gate, Json& pod) {
  if (gated == IsGated(pod, gate)) return;
  if (gated) {
    pod["spec"]["schedulingGates"].push_back({{"name", std::string(gate)}});
    pod["metadata"]["labels"]["kueue.x-k8s.io/managed"] = "true";
    return;
  }
  Json& gates = pod["spec"]["schedulingGates"];
  for (auto it = gates.begin(); it != gates.end();)
    it = StringAt(*it, {"name"}) == gate ? gates.erase(it) : it + 1;
  if (gates.empty()) pod["spec"].erase("schedulingGates");
}

}  // namespace fedra::sim
