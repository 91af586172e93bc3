#include "tests/sim/kinds/spark_application.h"

#include <string>
#include <string_view>

namespace fedra::sim {
namespace {

// As Kueue makes it: of the role's fields, without what its template says of the pod.
Json SparkPodSet(const Json& app, const char* role, const char* container, int64_t count) {
  Json made{{"name", container}};
  const Json* cpu = At(app, {"spec", role, "coreRequest"});
  if (cpu != nullptr) made["resources"]["requests"]["cpu"] = *cpu;
  const std::string memory(StringAt(app, {"spec", role, "memory"}));
  // "1g" of Java's is "1Gi".
  if (!memory.empty()) {
    std::string amount = memory;
    amount.back() = amount.back() == 'g' ? 'G' : 'M';
    made["resources"]["requests"]["memory"] = amount + "i";
  }
  Json spec{{"containers", Json::array({std::move(made)})},
            {"initContainers", ArrayAt(app, {"spec", role, "initContainers"})},
            {"tolerations", ArrayAt(app, {"spec", role, "tolerations"})}};
  return {{"name", role}, {"count", count}, {"template", {{"spec", std::move(spec)}}}};
}

std::string_view StateOf(const Json& status) {
  return StringAt(status, {"applicationState", "state"});
}

void SetState(const char* state, Json& status) {
  if (!status.contains("driverInfo")) status["driverInfo"] = Json::object();
  status["applicationState"] = {{"state", state}};
}

}  // namespace

JobKind SparkApplication() {
  JobKind kind;
  kind.group = "sparkoperator.k8s.io";
  kind.version = "v1beta2";
  kind.plural = "sparkapplications";
  kind.kind = "SparkApplication";
  kind.suspend = {"spec", "suspend"};
  kind.refuses_prebuilt = true;
  kind.pod_sets = [](const Json& app) {
    return Json::array({SparkPodSet(app, "driver", "spark-kubernetes-driver", 1),
                        SparkPodSet(app, "executor", "spark-kubernetes-executor",
                                    IntAt(app, {"spec", "executor", "instances"}, 0))});
  };
  // What Kueue adds to the pods at the start stands beside the templates, among the role's fields.
  kind.templates = [](Json&) { return std::vector<Json*>(); };
  kind.active = [](const Json& status) { return StateOf(status) == "RUNNING"; };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const std::string_view state = StateOf(status);
    if (state == "COMPLETED") return JobEnd{true, ""};
    if (state == "FAILED" || state == "SUBMISSION_FAILED")
      return JobEnd{false, std::string(StringAt(status, {"applicationState", "errorMessage"}))};
    return std::nullopt;
  };
  kind.run = [](const Json&, Json& status) { SetState("RUNNING", status); };
  kind.finish = [](bool success, Json& status) {
    SetState(success ? "COMPLETED" : "FAILED", status);
  };
  // Also of one that was never started.
  kind.stop = [](Json& status) { SetState("SUSPENDED", status); };
  return kind;
}

}  // namespace fedra::sim
