// What else a pod names and cannot start without. Source: core/v1 PodSpec of Kubernetes 1.36.

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/pod_set.h"

namespace fedra::tracking {
namespace {

// What kube-scheduler answers to; the API server fills it in (DefaultSchedulerName of core/v1).
constexpr std::string_view kDefaultScheduler = "default-scheduler";

using nlohmann::json;
using Kind = Dependency::Kind;

struct Found {
  std::set<Dependency> all;
  std::optional<Error> error;  // the first
};

template <class F>
void ForEach(const json& list, F&& each) {
  if (!list.is_array()) return;
  for (const json& item : list) each(item);
}

void Add(Kind kind, const std::string& name, Found& found) {
  if (!name.empty()) found.all.insert({kind, name});
}

bool IsNeeded(const json& reference, Found& found) {
  Result<bool> optional = ReadFlag(reference, "optional", false);
  if (!optional && !found.error) found.error = std::move(optional).error();
  return optional && !*optional;
}

// A reference {name, optional} under `field`.
void AddReference(const json& holder, std::string_view field, Kind kind, Found& found) {
  const json& reference = Member(holder, field);
  if (IsNeeded(reference, found)) Add(kind, Text(reference, "name"), found);
}

void ReadVolume(const json& volume, Found& found) {
  AddReference(volume, "configMap", Kind::kConfigMap, found);
  const json& secret = Member(volume, "secret");
  if (IsNeeded(secret, found)) Add(Kind::kSecret, Text(secret, "secretName"), found);
  Add(Kind::kPersistentVolumeClaim, Text(Member(volume, "persistentVolumeClaim"), "claimName"),
      found);
  ForEach(Path(volume, {"projected", "sources"}), [&](const json& source) {
    AddReference(source, "configMap", Kind::kConfigMap, found);
    AddReference(source, "secret", Kind::kSecret, found);
  });
}

void ReadContainer(const json& container, Found& found) {
  ForEach(Member(container, "envFrom"), [&](const json& source) {
    AddReference(source, "configMapRef", Kind::kConfigMap, found);
    AddReference(source, "secretRef", Kind::kSecret, found);
  });
  ForEach(Member(container, "env"), [&](const json& variable) {
    const json& source = Member(variable, "valueFrom");
    AddReference(source, "configMapKeyRef", Kind::kConfigMap, found);
    AddReference(source, "secretKeyRef", Kind::kSecret, found);
  });
}

}  // namespace

Result<std::vector<Dependency>> ReadDependencies(std::span<const PodTemplate> templates) {
  Found found;
  for (const PodTemplate& item : templates) {
    const json& spec = Member(*item.object, "spec");
    ForEach(Member(spec, "volumes"), [&](const json& volume) { ReadVolume(volume, found); });
    for (const char* list : {"initContainers", "containers"})
      ForEach(Member(spec, list), [&](const json& container) { ReadContainer(container, found); });
    Add(Kind::kServiceAccount, Text(spec, "serviceAccountName"), found);
    Add(Kind::kPriorityClass, Text(spec, "priorityClassName"), found);
    Add(Kind::kRuntimeClass, Text(spec, "runtimeClassName"), found);
    Add(Kind::kPodGroup, Text(Member(spec, "schedulingGroup"), "podGroupName"), found);
  }
  if (found.error) return Fail(*std::move(found.error));
  return std::vector<Dependency>{found.all.begin(), found.all.end()};
}

std::vector<std::string> ReadSchedulers(std::span<const PodTemplate> templates) {
  std::set<std::string> found;
  for (const PodTemplate& item : templates) {
    std::string name = Text(Member(*item.object, "spec"), "schedulerName");
    if (!name.empty() && name != kDefaultScheduler) found.insert(std::move(name));
  }
  return {found.begin(), found.end()};
}

}  // namespace fedra::tracking
