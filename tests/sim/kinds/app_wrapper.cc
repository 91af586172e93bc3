#include "tests/sim/kinds/app_wrapper.h"

#include <fmt/format.h>

#include "tests/sim/actors/conditions.h"

namespace fedra::sim {
namespace {

struct WrappedPods {
  int64_t count = 1;
  const Json* pod_template = nullptr;
};

// The only path that the scenarios declare.
constexpr std::string_view kPath = "template.spec.template";

// Of the kinds that AppWrapper infers, a Job.
std::vector<WrappedPods> PodsOf(const Json& component) {
  const Json* pod_template = At(component, {"template", "spec", "template"});
  if (pod_template == nullptr) return {};
  std::vector<WrappedPods> pods;
  for (const Json& declared : ArrayAt(component, {"podSets"})) {
    if (StringAt(declared, {"path"}) == kPath)
      pods.push_back({IntAt(declared, {"replicas"}, 1), pod_template});
  }
  if (pods.empty() && StringAt(component, {"template", "kind"}) == "Job")
    pods.push_back({IntAt(component, {"template", "spec", "parallelism"}, 1), pod_template});
  return pods;
}

// GetPodTemplateSpec: claims, volumes, environment and service account are no part of it.
Json ForKueue(const Json& pod_template) {
  Json containers = Json::array();
  for (const Json& container : ArrayAt(pod_template, {"spec", "containers"})) {
    Json kept;
    for (const char* field : {"name", "image", "command", "args"})
      if (container.contains(field)) kept[field] = container[field];
    for (const char* field : {"requests", "limits"}) {
      if (const Json* amounts = At(container, {"resources", field}))
        kept["resources"][field] = *amounts;
    }
    containers.push_back(std::move(kept));
  }
  return {{"spec", {{"containers", std::move(containers)}, {"restartPolicy", "Never"}}}};
}

void SetConditions(Json& status, bool holds) {
  for (const char* type : {"QuotaReserved", "ResourcesDeployed", "PodsReady"})
    SetCondition(status, {type, holds, holds ? "Resuming" : "Suspended", "simulated"}, 0);
}

}  // namespace

JobKind AppWrapper() {
  JobKind kind;
  kind.group = "workload.codeflare.dev";
  kind.version = "v1beta2";
  kind.plural = "appwrappers";
  kind.kind = "AppWrapper";
  kind.managed_by = {"spec", "managedBy"};
  kind.suspend = {"spec", "suspend"};
  kind.controller = "workload.codeflare.dev/appwrapper-controller";
  kind.pod_sets = [](const Json& job) {
    Json pod_sets = Json::array();
    for (const Json& component : ArrayAt(job, {"spec", "components"})) {
      for (const WrappedPods& pods : PodsOf(component)) {
        pod_sets.push_back(
            {{"name", fmt::format("{}-{}", StringAt(job, {"metadata", "name"}), pod_sets.size())},
             {"count", pods.count},
             {"template", ForKueue(*pods.pod_template)}});
      }
    }
    return pod_sets;
  };
  // What Kueue adds to the pods at the start stands beside the wrapped object.
  kind.templates = [](Json& job) {
    std::vector<Json*> infos;
    for (Json& component : job["spec"]["components"]) {
      if (PodsOf(component).empty()) continue;
      Json& list = component["podSetInfos"];
      if (!list.is_array()) list = Json::array({Json::object()});
      infos.push_back(&list[0]);
    }
    return infos;
  };
  kind.active = [](const Json& status) { return IsTrue(status, "QuotaReserved"); };
  kind.end = [](const Json& status) -> std::optional<JobEnd> {
    const std::string_view phase = StringAt(status, {"phase"});
    if (phase == "Succeeded") return JobEnd{true, "AppWrapper finished successfully"};
    if (phase == "Failed" && !IsTrue(status, "ResourcesDeployed"))
      return JobEnd{false, "AppWrapper failed"};
    return std::nullopt;
  };
  kind.run = [](const Json&, Json& status) {
    status["phase"] = "Running";
    SetConditions(status, true);
  };
  kind.finish = [](bool success, Json& status) {
    status["phase"] = success ? "Succeeded" : "Failed";
    SetConditions(status, false);
  };
  kind.stop = [](Json& status) {
    status["phase"] = "Suspended";
    SetConditions(status, false);
  };
  return kind;
}

}  // namespace fedra::sim
