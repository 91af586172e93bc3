#include "manager/tracking/kinds/app_wrapper.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/row_rules.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// Every path begins with it: the component's object.
constexpr const char* kTemplate = "template";

// A kind whose pod templates AppWrapper knows to find.
struct Inferred {
  std::string api_version;
  std::string kind;
  std::vector<PodSetRule> pod_sets;  // their names do not count
};

std::vector<PodSetRule> OfReplicas(const char* at) {
  return {{.at = at, .pod_template = kTemplate, .count = {{{"replicas"}}}}};
}

// Other than Kueue's own pod sets of them: hosts of a group and a submitter are not counted.
std::vector<PodSetRule> OfRay(const std::string& cluster) {
  return {{.at = FieldPath((cluster + ".headGroupSpec").c_str()), .pod_template = kTemplate},
          {.at = FieldPath((cluster + ".workerGroupSpecs[*]").c_str()),
           .pod_template = kTemplate,
           .count = {{{"replicas"}}}}};
}

const std::vector<Inferred>& KnownKinds() {
  static const std::vector<Inferred> kinds = {
      {"v1", "Pod", {{.at = {}, .pod_template = {}}}},
      {"apps/v1", "Deployment", OfReplicas("spec")},
      {"apps/v1", "StatefulSet", OfReplicas("spec")},
      {"batch/v1",
       "Job",
       {{.at = "spec",
         .pod_template = "template",
         .count = {{{"parallelism"}, {"completions", std::nullopt}}}}}},
      {"jobset.x-k8s.io/v1alpha2",
       "JobSet",
       {{.at = "spec.replicatedJobs[*]",
         .pod_template = "template.spec.template",
         .count = {{{"replicas"}},
                   {{"template.spec.parallelism"}, {"template.spec.completions", std::nullopt}}}}}},
      {"kubeflow.org/v1",
       "PyTorchJob",
       {{.at = "spec.pytorchReplicaSpecs.Master",
         .pod_template = "template",
         .count = {{{"replicas"}}}},
        {.at = "spec.pytorchReplicaSpecs.Worker",
         .pod_template = "template",
         .count = {{{"replicas"}}}}}},
      {"ray.io/v1", "RayCluster", OfRay("spec")},
      {"ray.io/v1", "RayJob", OfRay("spec.rayClusterSpec")}};
  return kinds;
}

std::vector<PodTemplate> InferredPods(const json& component) {
  const json& object = Member(component, kTemplate);
  const std::string api_version = Text(object, "apiVersion");
  const std::string kind = Text(object, "kind");
  for (const Inferred& known : KnownKinds()) {
    if (known.api_version == api_version && known.kind == kind)
      return PodTemplatesOf(known.pod_sets, object);
  }
  return {};
}

// "[3]" at the beginning of `path` is taken off it. Null: it is no index of `list`.
const json* TakeIndex(const json& list, std::string_view& path) {
  const size_t close = path.find(']');
  if (close == std::string_view::npos || !list.is_array()) return nullptr;
  const std::string_view digits = path.substr(1, close - 1);
  size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || index >= list.size())
    return nullptr;
  path.remove_prefix(close + 1);
  return &list[index];
}

// "template.spec.jobs[0].template". Null: nothing is there.
const json* AtPath(const json& component, std::string_view path) {
  if (!path.starts_with(kTemplate)) return nullptr;
  path.remove_prefix(std::string_view(kTemplate).size());
  const json* place = &Member(component, kTemplate);
  while (place != nullptr && !path.empty()) {
    if (path.front() == '[') {
      place = TakeIndex(*place, path);
      continue;
    }
    if (path.front() != '.') return nullptr;
    const size_t end = std::min(path.find_first_of(".[", 1), path.size());
    place = &Member(*place, path.substr(1, end - 1));
    path.remove_prefix(end);
  }
  return place;
}

std::vector<PodTemplate> DeclaredPods(const json& component, const json& declared) {
  std::vector<PodTemplate> pods;
  for (const json& pod_set : declared) {
    const json* found = AtPath(component, Text(pod_set, "path"));
    if (found != nullptr) pods.push_back({{}, ReadNumber(pod_set, "replicas", 1), found});
  }
  return pods;
}

}  // namespace

std::vector<PodTemplate> AppWrapperPods(const json& object) {
  std::vector<PodTemplate> all;
  const json& components = Path(object, {"spec", "components"});
  if (!components.is_array()) return all;
  const std::string name = Text(Member(object, "metadata"), "name");
  for (const json& component : components) {
    const json& declared = Member(component, "podSets");
    const bool declares = declared.is_array() && !declared.empty();
    for (PodTemplate& pods :
         declares ? DeclaredPods(component, declared) : InferredPods(component)) {
      if (!Member(*pods.object, "spec").is_object()) continue;
      pods.name = fmt::format("{}-{}", name, all.size());
      all.push_back(std::move(pods));
    }
  }
  return all;
}

}  // namespace fedra::tracking
