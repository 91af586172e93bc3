#include "manager/cli/migration/preparation.h"

#include <algorithm>

#include <fmt/format.h>

namespace fedra::cli {
namespace {

void AddClusters(const Found& found, std::vector<ToDo>& todos) {
  for (const auto& [cluster, problem] : found.problems)
    todos.push_back({fmt::format("{}: {}", cluster, problem), /*blocks=*/true});
  const std::set<std::string>& there =
      found.direction == Direction::kToFedra ? found.workers : found.worker_clusters;
  for (const std::string& name : found.named) {
    if (there.contains(name)) continue;
    todos.push_back(
        {found.direction == Direction::kToFedra
             ? fmt::format("{0}: a MultiKueueConfig names it, and it is no worker of fedra's: put "
                           "it into workers, or set workersFrom.multiKueueClusters",
                           name)
             : fmt::format("{}: a MultiKueueConfig names it, and there is no such "
                           "MultiKueueCluster",
                           name),
         /*blocks=*/true});
  }
}

void AddOrigin(const Found& found, std::vector<ToDo>& todos) {
  if (!found.kueue || found.kueue->origin == found.origin) return;
  todos.push_back({fmt::format("kueue.multiKueueOrigin is {}, and Kueue's multiKueue.origin is {}: "
                               "each would take the other's copies for a stranger's",
                               found.origin, found.kueue->origin),
                   /*blocks=*/true});
}

// "ConfigMap kueue-system/kueue-manager-config cannot be read: ..."
std::string NotSeen(const Found& found) {
  return fmt::format("ConfigMap {}/{} cannot be read ({})", found.kueue_namespace, kKueueConfigMap,
                     ToString(found.kueue.error()));
}

void AddStepsToFedra(const Found& found, std::vector<ToDo>& todos) {
  if (found.kueue && !found.kueue->runs_multi_kueue) return;
  const std::string why =
      found.kueue ? std::string("it is on") : NotSeen(found) + ", so whether it is on is not known";
  todos.push_back(
      {fmt::format("switch MultiKueue off in Kueue's configuration (featureGates: "
                   "{{MultiKueue: false}}), and restart Kueue, before fedra starts: {}",
                   why)});
}

void AddStepsToMultiKueue(const Found& found, std::vector<ToDo>& todos) {
  todos.push_back({"stop fedra first"});
  if (!found.kueue || !found.kueue->runs_multi_kueue) {
    const std::string why = found.kueue ? std::string("it is off")
                                        : NotSeen(found) + ", so whether it is off is not known";
    todos.push_back(
        {fmt::format("then switch MultiKueue on in Kueue's configuration (take out "
                     "featureGates: {{MultiKueue: false}}), and restart Kueue: {}",
                     why)});
  }
  if (found.kueue && !found.kueue->dispatcher.empty() &&
      !found.kueue->dispatcher.starts_with("kueue.x-k8s.io/")) {
    todos.push_back(
        {fmt::format("multiKueue.dispatcherName is {}: without that dispatcher nothing "
                     "is nominated",
                     found.kueue->dispatcher)});
  }
  for (const std::string& kind : found.added_kinds) {
    todos.push_back(
        {fmt::format("{}: MultiKueue runs it only when multiKueue.externalFrameworks "
                     "names it",
                     kind)});
  }
}

}  // namespace

std::string_view ToString(Direction direction) {
  return direction == Direction::kToFedra ? "ToFedra" : "ToMultiKueue";
}

std::vector<ToDo> ToDos(const Found& found) {
  std::vector<ToDo> todos;
  AddClusters(found, todos);
  AddOrigin(found, todos);
  if (found.direction == Direction::kToFedra) {
    AddStepsToFedra(found, todos);
  } else {
    AddStepsToMultiKueue(found, todos);
  }
  return todos;
}

}  // namespace fedra::cli
