#include "manager/cli/logs/pod_choice.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "cluster-clients/kube/json_object.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod.h"

namespace fedra::cli {
namespace {

using nlohmann::json;

constexpr size_t kMaxContainers = 100;  // of a pod; more are left out
constexpr size_t kMaxListed = 10;       // names in a message

std::vector<std::string> ContainersIn(const json& containers) {
  std::vector<std::string> names;
  if (!containers.is_array()) return names;
  for (const json& container : containers) {
    std::string name = tracking::Text(container, "name");
    if (IsDnsSubdomain(name) && names.size() < kMaxContainers) names.push_back(std::move(name));
  }
  return names;
}

std::string ListOf(const std::set<std::string>& names) {
  std::vector<std::string> shown(names.begin(), names.end());
  const size_t more = shown.size() > kMaxListed ? shown.size() - kMaxListed : 0;
  shown.resize(shown.size() - more);
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

Result<PodQuestion> QuestionFor(const tracking::JobKinds& kinds, std::string_view kind,
                                const ObjectKey& job) {
  const tracking::JobAdapter* adapter = kinds.FindName(kind);
  const bool is_group = adapter != nullptr && adapter->group_kind() == kind;
  if (adapter != nullptr) adapter = kinds.FindName(adapter->pods_kind());
  const tracking::PodLabel label = adapter == nullptr ? tracking::PodLabel{} : adapter->pod_label();
  if (label.key.empty())
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: the pods of a {} cannot be told from others here{}", job.ToString(), kind,
                    adapter == nullptr
                        ? "; where the daemon's configuration adds the kind, name that "
                          "with --config"
                        : ", for its kind names no label of theirs (kinds[].podLabel)"));
  if (label.names_the_pod)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: no label selects the pods of a {}; ask for one of them by its name "
                    "on the worker",
                    job.ToString(), kind));
  if (is_group) return PodQuestion{.pod = {}, .labels = label.key, .group = job.name};
  if (label.is_the_job) return PodQuestion{.pod = job, .labels = {}};
  PodQuestion question{.pod = {}, .labels = label.key + "=" + job.name};
  if (!label.also_key.empty()) question.labels += "," + label.also_key + "=" + label.also_value;
  return question;
}

Result<PodContainers> ParsePodContainers(std::string_view text) {
  const std::optional<json> object = kube::ParseObject(text);
  if (!object) return Fail(ErrorCode::kBadResponse, "a pod is not a JSON object");
  const json& metadata = tracking::Member(*object, "metadata");
  PodContainers pod{.name = tracking::Text(metadata, "name"),
                    .group = tracking::PodGroupOf(metadata),
                    .containers = {},
                    .init_containers = {}};
  if (!IsDnsSubdomain(pod.name))
    return Fail(ErrorCode::kBadResponse, "a pod has no name that a pod may have");
  const json& spec = tracking::Member(*object, "spec");
  pod.containers = ContainersIn(tracking::Member(spec, "containers"));
  pod.init_containers = ContainersIn(tracking::Member(spec, "initContainers"));
  return pod;
}

bool IsOfJob(const PodContainers& pod, const PodQuestion& question) {
  return question.group.empty() || pod.group == question.group;
}

Result<std::vector<LogSource>> SourcesIn(std::vector<PodContainers> pods, const LogChoice& choice) {
  std::ranges::sort(pods, {}, &PodContainers::name);
  std::vector<LogSource> sources;
  std::set<std::string> known_pods;
  std::set<std::string> known_containers;
  for (const PodContainers& pod : pods) {
    known_pods.insert(pod.name);
    if (!choice.pod.empty() && pod.name != choice.pod) continue;
    std::vector<std::string> containers = pod.containers;
    if (!choice.container.empty())
      containers.insert(containers.end(), pod.init_containers.begin(), pod.init_containers.end());
    for (const std::string& container : containers) {
      known_containers.insert(container);
      if (choice.container.empty() || container == choice.container)
        sources.push_back({pod.name, container});
    }
  }
  if (!sources.empty()) return sources;
  const bool is_pod_known = choice.pod.empty() || known_pods.contains(choice.pod);
  return Fail(ErrorCode::kInvalidArgument,
              is_pod_known ? fmt::format("there is no container {}; there are: {}",
                                         choice.container, ListOf(known_containers))
                           : fmt::format("the job has no pod {} there; it has: {}", choice.pod,
                                         ListOf(known_pods)));
}

}  // namespace fedra::cli
