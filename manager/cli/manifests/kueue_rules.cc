#include "manager/cli/manifests/kueue_rules.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod_maker.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;

constexpr size_t kMostPodSets = 18;

std::optional<std::string> FindPart(const json& part, const json& whole, const std::string& path) {
  if (&part == &whole) return path;
  for (size_t i = 0; whole.is_array() && i < whole.size(); ++i)
    if (auto found = FindPart(part, whole[i], fmt::format("{}[{}]", path, i))) return found;
  if (!whole.is_object()) return std::nullopt;
  for (const auto& [name, value] : whole.items()) {
    if (auto found = FindPart(part, value, path.empty() ? name : path + "." + name)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::string PlaceIn(const json& whole, const json& part, const std::string& otherwise) {
  return FindPart(part, whole, "").value_or(otherwise);
}

void CheckQueueName(const json& job, const ObjectKey& key, Findings& findings) {
  const std::string label(tracking::kQueueNameLabel);
  // The label of a ReplicaSet itself says nothing: that of its pods does.
  const bool is_in_template = tracking::Text(job, "kind") == "ReplicaSet";
  if (!is_in_template && !tracking::Text(Member(Member(job, "metadata"), "labels"), label).empty())
    return;
  findings.Warn(is_in_template ? "spec.template.metadata.labels" : "metadata.labels",
                "fedra never sees it: Kueue manages only jobs with the label " + label,
                fmt::format("{}: NAME   # of a LocalQueue in namespace {}", label, key.ns));
}

// Kueue and fedra leave a job to the controller that it names. Without a name, or with that of its
// own controller, the managedBy policy, or Kueue, writes it.
void CheckManagedBy(const json& object, const tracking::JobAdapter& adapter, Findings& findings) {
  const std::string name = adapter.ManagedBy(object);
  if (name.empty() || name == tracking::kManagedBy) return;
  const bool is_own = name == adapter.own_controller();
  findings.Add(
      is_own ? Severity::kWarning : Severity::kError, adapter.managed_by_path(),
      fmt::format(
          "is \"{}\": fedra dispatches only jobs that {} manages{}", name, tracking::kManagedBy,
          is_own ? "; deploy/managed-by-policy.yaml writes that over it, where it is applied" : ""),
      fmt::format("managedBy: {}; it cannot be changed once the job exists", tracking::kManagedBy));
}

void CheckIsDispatched(const json& object, const tracking::JobAdapter& adapter,
                       Findings& findings) {
  if (auto never = adapter.WhyNever(object))
    findings.Error(std::move(never->path), "fedra does not dispatch it: " + never->why);
}

void CheckAsksForSomething(const tracking::SubmittedJob& job, const json& object,
                           Findings& findings) {
  const tracking::Requirement& wants = job.requirement;
  const bool is_of_fields = wants.counted != nullptr;
  const tracking::Demands& demands = is_of_fields ? wants.counted : wants.demands;
  if (wants.queue.empty() || demands == nullptr || demands->empty()) return;
  const auto asks = [](const dra::PodDemand& demand) { return !demand.requests.empty(); };
  if (std::ranges::any_of(*demands, asks)) return;
  const tracking::JobAdapter* maker =
      tracking::FindPodMaker(tracking::Text(object, "apiVersion"), tracking::Text(object, "kind"));
  const std::vector<tracking::PodTemplate> templates =
      (maker == nullptr ? job.adapter : maker)->PodTemplates(object);
  if (templates.empty()) return;
  const std::string pod = PlaceIn(object, *templates.front().object, "spec.template");
  const std::string outcome = job.adapter->HoldsCheck()
                                  ? "it starts on the manager, for nothing holds it there"
                                  : "no worker gets it";
  findings.Warn(
      is_of_fields ? PathTo("spec", templates.front().name)
                   : PathTo(PathTo(pod, "spec"), "containers"),
      fmt::format(
          "{}: Kueue 0.19 admits such a job at once, without fedra's AdmissionCheck, and {}",
          is_of_fields ? "no field asks for what Kueue counts" : "no container asks for a resource",
          outcome),
      fmt::format(
          "{}. It can do without where the manager adds a request (a LimitRange of the namespace), "
          "where its ClusterQueue covers pods, and where Kueue itself counts the devices of its "
          "claims",
          is_of_fields ? "give coreRequest or memory: cores and templates do not count"
                       : "write into a container: resources: {requests: {cpu: 100m}}"));
}

void CheckPodSets(const tracking::SubmittedJob& job, const json& object, Findings& findings) {
  const size_t sets = job.requirement.pod_sets.size();
  if (job.requirement.queue.empty() || sets <= kMostPodSets) return;
  std::string place = "metadata.annotations";  // of a group: no pod of it says more
  if (!job.is_group) {
    const std::vector<tracking::PodTemplate> templates = job.adapter->PodTemplates(object);
    const bool is_there = templates.size() > kMostPodSets;
    place = is_there ? PlaceIn(object, *templates[kMostPodSets].object, "spec") : "spec";
  }
  findings.Warn(
      std::move(place),
      fmt::format("it has {} {}: Kueue 0.19 takes {} in a job (0.18: 10, 0.17: 8), makes no "
                  "Workload of it, and no worker gets it",
                  sets, job.is_group ? "kinds of pods" : "pod sets", kMostPodSets),
      job.is_group ? "make those alike whose resources, tolerations, node selectors and claims "
                     "may be the same"
                   : "make one of those that are alike, with more replicas, or several jobs");
}

}  // namespace fedra::cli
