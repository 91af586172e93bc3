#include "manager/tracking/kinds/train_job.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/row_rules.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

constexpr const char* kAncestor = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr std::string_view kTrainer = "trainer";  // the step that trains
constexpr std::string_view kNode = "node";        // its container, and MPI's part of the nodes

// What decides about the nodes.
struct Nodes {
  json of_job;      // spec.trainer.numNodes
  json of_runtime;  // mlPolicy.numNodes
  json resources;   // spec.trainer.resourcesPerNode
  bool has_policy = false;
  bool is_mpi = false;
  bool launcher_is_node = false;  // of MPI
};

Nodes ReadNodes(const json& job, const json& runtime) {
  const json& trainer = Path(job, {"spec", "trainer"});
  const json& policy = Member(runtime, "mlPolicy");
  const json& mpi = Member(policy, "mpi");
  return {.of_job = Member(trainer, "numNodes"),
          .of_runtime = Member(policy, "numNodes"),
          .resources = Member(trainer, "resourcesPerNode"),
          .has_policy = policy.is_object(),
          .is_mpi = mpi.is_object(),
          .launcher_is_node = Member(mpi, "runLauncherAsNode") == true};
}

bool IsTrainer(const json& part) {
  return Text(Path(part, {"template", "metadata", "labels"}), kAncestor) == kTrainer;
}

// Of a part of the JobSet; null: its own.
json CountOf(const json& part, const Nodes& nodes) {
  const bool trains = IsTrainer(part);
  if (nodes.is_mpi) {
    if (Text(part, "name") == kNode && nodes.of_job.is_number_integer())
      return nodes.launcher_is_node ? json(std::max<int64_t>(nodes.of_job.get<int64_t>() - 1, 1))
                                    : nodes.of_job;
  } else if (trains && !nodes.of_job.is_null()) {
    return nodes.of_job;
  }
  if (!trains || !nodes.has_policy) return nullptr;
  return nodes.of_runtime.is_null() ? json(1) : nodes.of_runtime;
}

// Of the container of that name each resource that the job names; the others stay.
void SetResources(const json& resources, json& part) {
  json& containers = part["template"]["spec"]["template"]["spec"]["containers"];
  if (!containers.is_array()) return;
  for (json& container : containers) {
    if (!container.is_object() || Text(container, "name") != kNode) continue;
    if (!Member(container, "resources").is_object()) container["resources"] = json::object();
    for (const char* list : {"requests", "limits"}) {
      const json& amounts = Member(resources, list);
      if (!amounts.is_object()) continue;
      if (!Member(container["resources"], list).is_object())
        container["resources"][list] = json::object();
      container["resources"][list].update(amounts);
    }
    return;
  }
}

bool HasTemplate(const json& part) {
  return Path(part, {"template", "spec", "template", "spec"}).is_object();
}

void Complete(const Nodes& nodes, json& part) {
  if (!HasTemplate(part)) return;
  const bool trains = IsTrainer(part);
  json& spec = part["template"]["spec"];
  if (json count = CountOf(part, nodes); !count.is_null()) {
    spec["parallelism"] = count;
    spec["completions"] = std::move(count);
  } else {
    spec["completions"] = Member(spec, "parallelism").is_null() ? json(1) : spec["parallelism"];
  }
  if (trains) part["replicas"] = 1;
  const bool launches = nodes.launcher_is_node && Text(part, "name") == kNode;
  if (nodes.resources.is_object() && ((trains && nodes.has_policy) || launches))
    SetResources(nodes.resources, part);
}

}  // namespace

std::vector<PodTemplate> TrainJobPods(const json& job, json& runtime) {
  static const std::vector<PodSetRule> rules = {
      {.at = "template.spec.replicatedJobs[*]",
       .pod_template = "template.spec.template",
       .name_at = "name",
       .count = {{{"replicas"}}, {{"template.spec.parallelism"}}}}};
  const Nodes nodes = ReadNodes(job, runtime);
  if (!Path(runtime, {"template", "spec", "replicatedJobs"}).is_array()) return {};
  for (json& part : runtime["template"]["spec"]["replicatedJobs"]) Complete(nodes, part);
  std::vector<PodTemplate> pods = PodTemplatesOf(rules, runtime);
  std::erase_if(pods, [](const PodTemplate& each) { return !each.object->is_object(); });
  return pods;
}

}  // namespace fedra::tracking
