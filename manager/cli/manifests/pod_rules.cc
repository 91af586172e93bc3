#include "manager/cli/manifests/pod_rules.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/manifests/resource_rules.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

using NameSet = std::set<std::string>;

// each(element, path of the element) for the objects of a list.
template <class F>
void ForEachObject(const json& owner, const char* list, const std::string& path, F&& each) {
  const json& items = Member(owner, list);
  if (!items.is_array()) return;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].is_object()) each(items[i], fmt::format("{}.{}[{}]", path, list, i));
}

// The member, where it is written, is there once.
void Once(const json& object, const char* member, const std::string& path, NameSet& seen,
          Findings& findings) {
  const std::string text = Text(object, member);
  if (text.empty() || seen.insert(text).second) return;
  findings.Error(fmt::format("{}.{}", path, member), fmt::format("\"{}\" is there twice", text));
}

// IsRelaxedEnvVarName.
bool IsVariableName(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void CheckOneContainer(const json& container, const std::string& path, const NameSet& volumes,
                       Findings& findings) {
  NameSet ports, mounts;
  ForEachObject(container, "ports", path, [&](const json& port, const std::string& at) {
    Once(port, "name", at, ports, findings);
  });
  ForEachObject(container, "env", path, [&](const json& variable, const std::string& at) {
    if (!IsVariableName(Text(variable, "name")))
      findings.Error(at + ".name", "must be printable ASCII without =");
    if (!Text(variable, "value").empty() && !Member(variable, "valueFrom").is_null())
      findings.Error(at, "has both value and valueFrom", "keep one of the two");
  });
  ForEachObject(container, "volumeMounts", path, [&](const json& mount, const std::string& at) {
    Once(mount, "mountPath", at, mounts, findings);
    const std::string name = Text(mount, "name");
    if (!name.empty() && !volumes.contains(name))
      findings.Error(at + ".name", fmt::format("the pod has no volume \"{}\"", name));
  });
  CheckResources(Member(container, "resources"), path + ".resources", findings);
}

NameSet CheckVolumes(const json& spec, const std::string& path, Findings& findings) {
  NameSet names;
  ForEachObject(spec, "volumes", path, [&](const json& volume, const std::string& at) {
    Once(volume, "name", at, names, findings);
    const auto sources = std::count_if(
        volume.items().begin(), volume.items().end(),
        [](const auto& member) { return member.key() != "name" && !member.value().is_null(); });
    if (sources > 1) findings.Error(at, "has more than one source", "keep one of them");
  });
  return names;
}

void CheckPodTolerations(const json& spec, const std::string& path, Findings& findings) {
  ForEachObject(spec, "tolerations", path, [&](const json& toleration, const std::string& at) {
    const bool exists = Text(toleration, "operator") == "Exists";
    if (Text(toleration, "key").empty() && !exists)
      findings.Error(at, "has no key", "write one, or operator: Exists for every taint");
    if (exists && !Text(toleration, "value").empty())
      findings.Error(at + ".value", "cannot be set with operator Exists", "leave it out");
    if (!Member(toleration, "tolerationSeconds").is_null() &&
        Text(toleration, "effect") != "NoExecute")
      findings.Error(at + ".tolerationSeconds", "needs effect: NoExecute");
  });
}

// The values that an operator takes (ValidateNodeSelectorRequirement).
void CheckExpression(const json& expression, const std::string& path, Findings& findings) {
  const std::string op = Text(expression, "operator");
  const json& values = Member(expression, "values");
  const size_t count = values.is_array() ? values.size() : 0;
  if ((op == "In" || op == "NotIn") && values.empty())
    findings.Error(path + ".values", fmt::format("is missing: operator {} needs them", op));
  if ((op == "Exists" || op == "DoesNotExist") && count > 0)
    findings.Error(path + ".values", fmt::format("cannot be set with operator {}", op),
                   "leave it out");
  if ((op == "Gt" || op == "Lt") && values.is_array() && count != 1)
    findings.Error(path + ".values", fmt::format("operator {} takes one", op));
}

void CheckAffinity(const json& spec, const std::string& path, Findings& findings) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  ForEachObject(Path(spec, {"affinity", "nodeAffinity", kRequired}), "nodeSelectorTerms",
                fmt::format("{}.affinity.nodeAffinity.{}", path, kRequired),
                [&](const json& term, const std::string& at) {
                  ForEachObject(term, "matchExpressions", at,
                                [&](const json& item, const std::string& there) {
                                  CheckExpression(item, there, findings);
                                });
                });
}

}  // namespace

void CheckPodRules(const json& pod_template, const std::string& path, Findings& findings) {
  if (!pod_template.is_object()) return;
  const json& spec = Member(pod_template, "spec");
  const std::string here = path + ".spec";
  const json& containers = Member(spec, "containers");
  if (containers.is_null() || (containers.is_array() && containers.empty()))
    findings.Error(here + ".containers", "a pod needs at least one container");
  if (!Member(spec, "ephemeralContainers").empty())
    findings.Error(here + ".ephemeralContainers", "cannot be set in a template");
  const NameSet volumes = CheckVolumes(spec, here, findings);
  NameSet names;
  for (const char* list : {"containers", "initContainers"}) {
    ForEachObject(spec, list, here, [&](const json& container, const std::string& at) {
      Once(container, "name", at, names, findings);
      CheckOneContainer(container, at, volumes, findings);
    });
  }
  CheckResources(Member(spec, "resources"), here + ".resources", findings);
  CheckPodTolerations(spec, here, findings);
  CheckAffinity(spec, here, findings);
}

}  // namespace fedra::cli
