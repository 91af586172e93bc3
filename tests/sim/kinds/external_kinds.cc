#include "tests/sim/kinds/external_kinds.h"

#include "tests/sim/actors/conditions.h"

namespace fedra::sim {

JobKind PipelineRun() {
  JobKind kind;
  kind.group = "tekton.dev";
  kind.version = "v1";
  kind.plural = "pipelineruns";
  kind.kind = "PipelineRun";
  kind.managed_by = {"spec", "managedBy"};
  kind.suspend = {"spec", "status"};
  kind.suspended = "PipelineRunPending";
  // Stop() in internal/controller/pipelinerun_controller.go of konflux-ci/tekton-kueue.
  kind.stopped = "StoppedRunFinally";
  kind.controller = "tekton.dev/pipeline";
  kind.pod_sets = [](const Json&) {
    const Json container = {{"name", "dummy"}, {"image", "none"}};
    return Json::array({{{"name", "pod-set-1"},
                         {"count", 1},
                         {"template", {{"spec", {{"containers", Json::array({container})}}}}}}});
  };
  kind.templates = [](Json&) { return std::vector<Json*>(); };
  kind.active = [](const Json& status) { return !StringAt(status, {"startTime"}).empty(); };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const Json* condition = FindCondition(status, "Succeeded");
    if (condition == nullptr || StringAt(*condition, {"status"}) == "Unknown") return std::nullopt;
    return JobEnd{StringAt(*condition, {"status"}) == "True",
                  std::string(StringAt(*condition, {"message"}))};
  };
  const auto condition = [](const char* status, const char* reason) {
    return Json::array({{{"type", "Succeeded"}, {"status", status}, {"reason", reason}}});
  };
  kind.run = [condition](const Json&, Json& status) {
    status["conditions"] = condition("Unknown", "Running");
    if (!status.contains("startTime")) status["startTime"] = Timestamp();
  };
  kind.finish = [condition](bool success, Json& status) {
    status["conditions"] = success ? condition("True", "Completed") : condition("False", "Failed");
  };
  kind.stop = [](Json& status) {
    status.erase("conditions");
    status.erase("startTime");
  };
  return kind;
}

JobKind TrainingRun() {
  JobKind kind;
  kind.group = "example.com";
  kind.version = "v1";
  kind.plural = "trainingruns";
  kind.kind = "TrainingRun";
  kind.managed_by = {"spec", "policy", "managedBy"};
  kind.suspend = {"spec", "policy", "paused"};
  kind.controller = "example.com/run-operator";
  kind.pod_sets = [](const Json& job) {
    Json pod_sets = Json::array();
    for (const Json& role : ArrayAt(job, {"spec", "roles"}))
      pod_sets.push_back({{"name", role["name"]},
                          {"count", IntAt(role, {"pods"}, 1)},
                          {"template", role["template"]}});
    return pod_sets;
  };
  kind.templates = [](Json& job) {
    std::vector<Json*> templates;
    for (Json& role : job["spec"]["roles"]) templates.push_back(&role["template"]);
    return templates;
  };
  kind.active = [](const Json& status) { return IntAt(status, {"running"}) > 0; };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const std::string_view phase = StringAt(status, {"phase"});
    if (phase != "Done" && phase != "Broken") return std::nullopt;
    return JobEnd{phase == "Done", "all pods ended"};
  };
  kind.run = [](const Json& pod_sets, Json& status) {
    int64_t pods = 0;
    for (const Json& pod_set : pod_sets) pods += IntAt(pod_set, {"count"});
    status = {{"phase", "Busy"}, {"running", pods}};
  };
  kind.finish = [](bool success, Json& status) {
    status = {{"phase", success ? "Done" : "Broken"}, {"running", 0}};
  };
  kind.stop = [](Json& status) { status = {{"phase", "Paused"}, {"running", 0}}; };
  return kind;
}

}  // namespace fedra::sim
