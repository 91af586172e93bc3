#include "manager/tracking/kinds/spark_application.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// What Spark's container is called in a pod of the role; one that has to be made, the last.
constexpr std::array<std::string_view, 1> kDriverContainer = {"spark-kubernetes-driver"};
constexpr std::array<std::string_view, 2> kExecutorContainer = {"executor",
                                                                "spark-kubernetes-executor"};
// Spark makes such a volume, of what the application says of it, for each executor.
constexpr std::string_view kLocalDirVolume = "spark-local-dir-";

constexpr int64_t kMostMib = int64_t{1} << 40;

json& MakeObject(json& holder, const char* name) {
  json& member = holder[name];
  if (!member.is_object()) member = json::object();
  return member;
}

json& MakeList(json& holder, const char* name) {
  json& member = holder[name];
  if (!member.is_array()) member = json::array();
  return member;
}

// Adds the elements of `more`, if that is a list.
void Append(const json& more, const char* name, json& holder) {
  if (!more.is_array() || more.empty()) return;
  json& list = MakeList(holder, name);
  list.insert(list.end(), more.begin(), more.end());
}

// The texts at `member` of the elements of a list.
std::vector<std::string> NamesIn(const json& list, const char* member) {
  std::vector<std::string> names;
  if (!list.is_array()) return names;
  for (const json& each : list)
    if (std::string name = Text(each, member); !name.empty()) names.push_back(std::move(name));
  return names;
}

// As Java writes an amount of memory: "4g", "512m", MiB where it has no unit. Nothing: it is none.
std::optional<int64_t> MibOf(const std::string& text) {
  constexpr std::string_view kUnits = "mgtp";
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0 || number > kMostMib) return std::nullopt;
  std::string unit = ToLower(std::string(rest, end));
  if (unit.size() == 2 && unit[1] == 'b') unit.pop_back();
  if (unit.empty()) return number;
  if (unit == "k") return (number + 1023) / 1024;
  const size_t power = unit.size() == 1 ? kUnits.find(unit[0]) : std::string_view::npos;
  if (power == std::string_view::npos) return std::nullopt;
  for (size_t i = 0; i < power; ++i) {
    number *= 1024;
    if (number > kMostMib) return std::nullopt;
  }
  return number;
}

// Of memory beside the JVM's, as a part of that.
double OverheadFactor(const json& spec) {
  constexpr double kMost = 1024;
  const std::string text = Text(spec, "memoryOverheadFactor");
  double factor = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && factor >= 0 && factor <= kMost) return factor;
  const std::string type = Text(spec, "type");
  return type == "Python" || type == "R" ? 0.4 : 0.1;
}

// What a pod asks for, as a quantity. What cannot be read stays as it is, for those who read it.
std::string MemoryOf(const json& spec, const json& role) {
  constexpr int64_t kDefault = 1024;
  constexpr int64_t kLeastOverhead = 384;
  std::string memory = Text(role, "memory");
  std::string overhead = Text(role, "memoryOverhead");
  const std::optional<int64_t> own = memory.empty() ? kDefault : MibOf(memory);
  if (!own) return memory;
  std::optional<int64_t> more = MibOf(overhead);
  if (!overhead.empty() && !more) return overhead;
  if (!more) {
    const double part = OverheadFactor(spec) * static_cast<double>(*own);
    more = std::max(kLeastOverhead, static_cast<int64_t>(part));
  }
  return fmt::format("{}Mi", *own + *more);
}

// Spark's own container: the one of its name, or the first.
json& SparkContainer(std::span<const std::string_view> names, json& pod_spec) {
  json& containers = MakeList(pod_spec, "containers");
  if (containers.empty()) containers.push_back(json{{"name", std::string(names.back())}});
  json* chosen = &containers.front();
  for (json& container : containers) {
    const std::string name = Text(container, "name");
    if (std::find(names.begin(), names.end(), name) != names.end()) chosen = &container;
  }
  if (!chosen->is_object()) *chosen = json::object();
  return *chosen;
}

void AddGpu(const json& role, json& limits) {
  const json& gpu = Member(role, "gpu");
  const std::string name = Text(gpu, "name");
  if (!name.empty() && Number(gpu, "quantity", 0) > 0) limits[name] = Member(gpu, "quantity");
}

void SetRequests(const json& spec, const json& role, json& container) {
  json& resources = MakeObject(container, "resources");
  json& requests = MakeObject(resources, "requests");
  const std::string cores = Text(role, "coreRequest");
  const json& whole = Member(role, "cores");
  requests["cpu"] = !cores.empty() ? json(cores) : whole.is_null() ? json(1) : whole;
  requests["memory"] = MemoryOf(spec, role);
  json& limits = MakeObject(resources, "limits");
  if (std::string limit = Text(role, "coreLimit"); !limit.empty()) limits["cpu"] = std::move(limit);
  AddGpu(role, limits);
}

// Of the role, of both, or of Spark's own configuration, which has keys for either, too. None:
// Spark refuses the application.
void SetImage(const json& spec, const json& role, json& container) {
  constexpr std::array kKeys = {"spark.kubernetes.container.image",
                                "spark.kubernetes.driver.container.image",
                                "spark.kubernetes.executor.container.image"};
  std::string image = Text(role, "image");
  if (image.empty()) image = Text(spec, "image");
  for (const char* key : kKeys)
    if (image.empty()) image = Text(Member(spec, "sparkConf"), key);
  if (!image.empty()) container["image"] = std::move(image);
}

void AddEnvironment(const json& role, json& container) {
  Append(Member(role, "env"), "env", container);
  Append(Member(role, "envFrom"), "envFrom", container);
  const json& secrets = Member(role, "envSecretKeyRefs");
  if (!secrets.is_object()) return;
  for (const auto& [variable, reference] : secrets.items())
    MakeList(container, "env")
        .push_back({{"name", variable}, {"valueFrom", {{"secretKeyRef", reference}}}});
}

// Volumes that the container mounts, and what is mounted into it by name.
void AddVolumes(const json& spec, const json& role, json& pod_spec) {
  json added = json::array();
  const std::vector<std::string> mounted = NamesIn(Member(role, "volumeMounts"), "name");
  const auto is_mounted = [&](const std::string& name) {
    return !name.starts_with(kLocalDirVolume) &&
           std::find(mounted.begin(), mounted.end(), name) != mounted.end();
  };
  if (const json& volumes = Member(spec, "volumes"); volumes.is_array()) {
    for (const json& volume : volumes)
      if (is_mounted(Text(volume, "name"))) added.push_back(volume);
  }
  const auto add_map = [&](const std::string& name) {
    added.push_back({{"name", name + "-vol"}, {"configMap", {{"name", name}}}});
  };
  for (const char* field : {"sparkConfigMap", "hadoopConfigMap"})
    if (const std::string name = Text(spec, field); !name.empty()) add_map(name);
  for (const std::string& name : NamesIn(Member(role, "configMaps"), "name")) add_map(name);
  for (const std::string& name : NamesIn(Member(role, "secrets"), "name"))
    added.push_back({{"name", name + "-volume"}, {"secret", {{"secretName", name}}}});
  Append(added, "volumes", pod_spec);
}

// Where the pod may run, and as whom.
void SetPlace(const json& spec, const json& role, json& pod_spec) {
  for (const json* selector : {&Member(spec, "nodeSelector"), &Member(role, "nodeSelector")})
    if (selector->is_object()) MakeObject(pod_spec, "nodeSelector").update(*selector);
  if (const json& affinity = Member(role, "affinity"); affinity.is_object())
    pod_spec["affinity"] = affinity;
  Append(Member(role, "tolerations"), "tolerations", pod_spec);
  const auto set = [&](const char* name, const json& holder, const char* field) {
    if (std::string text = Text(holder, field); !text.empty()) pod_spec[name] = std::move(text);
  };
  set("priorityClassName", role, "priorityClassName");
  set("serviceAccountName", role, "serviceAccount");
  set("schedulerName", role, "schedulerName");
  set("schedulerName", spec, "batchScheduler");
}

PodTemplate MadeOf(const char* name, json pod) {
  auto made = std::make_shared<const json>(std::move(pod));
  const json* object = made.get();
  return {.name = name, .object = object, .made = std::move(made)};
}

PodTemplate Composed(const json& spec, const char* name,
                     std::span<const std::string_view> containers) {
  const json& role = Member(spec, name);
  const json& base = Member(role, "template");
  json pod = base.is_object() ? base : json::object();
  json& pod_spec = MakeObject(pod, "spec");
  json& container = SparkContainer(containers, pod_spec);
  SetRequests(spec, role, container);
  SetImage(spec, role, container);
  AddEnvironment(role, container);
  Append(Member(role, "sidecars"), "containers", pod_spec);  // `container` may have moved
  Append(Member(role, "initContainers"), "initContainers", pod_spec);
  AddVolumes(spec, role, pod_spec);
  SetPlace(spec, role, pod_spec);
  return MadeOf(name, std::move(pod));
}

// "1g" is "1Gi"; without a unit Kueue takes it for bytes.
json CountedMemory(const std::string& text) {
  const auto mib = IsDigit(text.back()) ? std::nullopt : MibOf(text);
  return mib ? json(fmt::format("{}Mi", *mib)) : json(text);
}

PodTemplate CountedRole(const json& spec, const char* name,
                        std::span<const std::string_view> containers) {
  const json& role = Member(spec, name);
  json pod = json::object();
  json& pod_spec = MakeObject(pod, "spec");
  json& resources = MakeObject(SparkContainer(containers, pod_spec), "resources");
  const auto count = [&](const char* kind, const char* resource, const char* field) {
    const std::string text = Text(role, field);
    if (text.empty()) return;
    json& amount = MakeObject(resources, kind)[resource];
    amount = std::string_view(resource) == "memory" ? CountedMemory(text) : json(text);
  };
  count("requests", "cpu", "coreRequest");
  count("requests", "memory", "memory");
  count("limits", "cpu", "coreLimit");
  count("limits", "memory", "memoryLimit");
  AddGpu(role, MakeObject(resources, "limits"));
  Append(Member(role, "sidecars"), "containers", pod_spec);
  Append(Member(role, "initContainers"), "initContainers", pod_spec);
  return MadeOf(name, std::move(pod));
}

// The driver's and the executors', as `role_of` makes one of them.
std::vector<PodTemplate> BothRoles(const json& object, decltype(&Composed) role_of) {
  const json& spec = Member(object, "spec");
  std::vector<PodTemplate> pods;
  pods.push_back(role_of(spec, "driver", kDriverContainer));
  pods.push_back(role_of(spec, "executor", kExecutorContainer));
  pods.back().count = ReadNumber(Member(spec, "executor"), "instances", 0);
  return pods;
}

}  // namespace

std::vector<PodTemplate> SparkCountedPods(const json& object) {
  return BothRoles(object, &CountedRole);
}

std::vector<PodTemplate> SparkPods(const json& object) { return BothRoles(object, &Composed); }

}  // namespace fedra::tracking
