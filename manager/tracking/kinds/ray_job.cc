#include "manager/tracking/kinds/ray_job.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/row_rules.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// With the image of the head (GetDefaultSubmitterContainer in
// ray-operator/controllers/ray/common/job.go of KubeRay 1.6).
json SubmitterContainer(const json& head) {
  json made = json::parse(R"({"name": "ray-job-submitter", "resources": {
      "limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "200Mi"}}})");
  const json& containers = Path(head, {"spec", "containers"});
  const bool any = containers.is_array() && !containers.empty();
  const std::string image = any ? Text(containers[0], "image") : "";
  made["image"] = image.empty() ? "ray" : image;  // that it has none is said of the head
  return made;
}

PodTemplate Made(std::string name, json pod_template) {
  PodTemplate made{.name = std::move(name)};
  made.made = std::make_shared<const json>(std::move(pod_template));
  made.object = made.made.get();
  return made;
}

}  // namespace

std::vector<PodSetRule> RayPodSets(const std::string& base) {
  return {{.at = FieldPath((base + ".headGroupSpec").c_str()),
           .pod_template = "template",
           .name = "head"},
          {.at = FieldPath((base + ".workerGroupSpecs[*]").c_str()),
           .pod_template = "template",
           .name_at = "groupName",
           // The CRD's default of replicas is 0.
           .count = {{{.path = "replicas", .absent = 0}}, {{"numOfHosts"}}}}};
}

std::vector<PodSetRule> RayJobPodSets() {
  std::vector<PodSetRule> rules = RayPodSets("spec.rayClusterSpec");
  // Kueue adds it last, and for submissionMode K8sJobMode only, which is the CRD's default.
  rules.push_back({.at = "spec[submissionMode?=K8sJobMode].submitterPodTemplate",
                   .pod_template = {},
                   .name = "submitter"});
  return rules;
}

std::vector<PodTemplate> RayJobPods(const json& object) {
  static const std::vector<PodSetRule> rules = RayJobPodSets();
  std::vector<PodTemplate> pods = PodTemplatesOf(rules, object);
  const auto named = [&](std::string_view name) {
    return std::ranges::find(pods, name, &PodTemplate::name);
  };
  const json& spec = Member(object, "spec");
  const std::string mode = Text(spec, "submissionMode");
  // One without a cluster has no pods of its own.
  const auto head = named("head");
  if (head == pods.end()) return pods;
  if ((mode.empty() || mode == "K8sJobMode") && named("submitter") == pods.end()) {
    const json containers = json::array({SubmitterContainer(*head->object)});
    pods.push_back(Made("submitter", {{"spec", {{"containers", containers}}}}));
  } else if (mode == "SidecarMode" && head->object->is_object()) {
    json with_submitter = *head->object;
    json& containers = with_submitter["spec"]["containers"];
    if (containers.is_array()) {
      containers.push_back(SubmitterContainer(*head->object));
      const json* const written = head->object;
      *head = Made("head", std::move(with_submitter));
      head->made_of = written;
    }
  }
  return pods;
}

}  // namespace fedra::tracking
