#include "manager/cli/manifests/job_rules.h"

#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

constexpr int64_t kMaxIndexedParallelism = 100'000;
constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxManagedBy = 63;

std::optional<int64_t> WholeNumberOf(const json& object, const char* name) {
  const json& value = Member(object, name);
  return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

bool IsSet(const json& object, const char* name) { return !Member(object, name).is_null(); }

bool IsIndexed(const json& spec) { return Text(spec, "completionMode") == "Indexed"; }

// Jobs run to their end; what is left out would be Always, as for every pod.
void CheckRestartPolicy(const json& spec, Findings& findings) {
  const json& pod = Path(spec, {"template", "spec"});
  const json& value = Member(pod, "restartPolicy");
  if (!pod.is_object() || (!value.is_null() && !value.is_string())) return;
  const std::string policy = Text(pod, "restartPolicy");
  const std::string path = "spec.template.spec.restartPolicy";
  if (policy == "OnFailure" && IsSet(spec, "podFailurePolicy"))
    findings.Error(path, "must be Never where podFailurePolicy is set");
  if (policy == "Never" || policy == "OnFailure") return;
  findings.Error(path,
                 policy.empty()
                     ? std::string("is missing: the pods of a job need one")
                     : fmt::format("\"{}\" is not allowed for the pods of a job", policy),
                 "write Never or OnFailure");
}

// The controller gives each pod the host name JOB-INDEX.
void CheckIndexedName(const json& job, int64_t completions, Findings& findings) {
  const std::string name = Text(Member(job, "metadata"), "name");
  if (name.empty() || completions <= 0) return;
  const std::string host = fmt::format("{}-{}", name, completions - 1);
  if (IsDnsLabel(host)) return;
  findings.Error("metadata.name",
                 fmt::format("the pods of an Indexed job are named {}, which is not a valid host "
                             "name",
                             host),
                 "at most 63 lower-case letters, digits and -, the index included");
}

void CheckIndexed(const json& job, const json& spec, Findings& findings) {
  const auto completions = WholeNumberOf(spec, "completions");
  const auto max_failed = WholeNumberOf(spec, "maxFailedIndexes");
  // Without both each is 1 (SetDefaults_Job).
  if (!IsSet(spec, "completions") && IsSet(spec, "parallelism"))
    findings.Error("spec.completions", "is missing", "completionMode Indexed needs it");
  if (WholeNumberOf(spec, "parallelism").value_or(0) > kMaxIndexedParallelism) {
    findings.Error("spec.parallelism", fmt::format("must be at most {} with completionMode Indexed",
                                                   kMaxIndexedParallelism));
  }
  if (max_failed && completions && *max_failed > *completions)
    findings.Error("spec.maxFailedIndexes", "must not be above completions");
  CheckIndexedName(job, completions.value_or(0), findings);
}

void CheckNotIndexed(const json& spec, Findings& findings) {
  for (const char* field : {"backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"})
    if (IsSet(spec, field))
      findings.Error(fmt::format("spec.{}", field), "needs completionMode: Indexed");
}

void CheckExitCodes(const json& codes, const std::string& path,
                    const std::set<std::string>& containers, Findings& findings) {
  const std::string name = Text(codes, "containerName");
  if (!name.empty() && !containers.contains(name))
    findings.Error(path + ".containerName", fmt::format("the pod has no container \"{}\"", name));
  const json& values = Member(codes, "values");
  if (!values.is_array()) return;
  const std::string here = path + ".values";
  if (values.size() > kMaxExitCodes)
    findings.Error(
        here, fmt::format("has {} entries; at most {} are allowed", values.size(), kMaxExitCodes));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number_integer()) return;
    const std::string at = fmt::format("{}[{}]", here, i);
    if (values[i] == 0 && Text(codes, "operator") == "In")
      findings.Error(at, "must not be 0 with operator In: 0 is success");
    if (i > 0 && values[i] <= values[i - 1])
      findings.Error(at, "must be above the one before it: values are in order, each once");
  }
}

std::set<std::string> ContainerNames(const json& pod_spec) {
  std::set<std::string> names;
  for (const char* list : {"containers", "initContainers"})
    if (const json& containers = Member(pod_spec, list); containers.is_array())
      for (const json& container : containers) names.insert(Text(container, "name"));
  return names;
}

void CheckFailurePolicy(const json& spec, Findings& findings) {
  const json& policy = Member(spec, "podFailurePolicy");
  if (!policy.is_object()) return;
  const std::string replacement = Text(spec, "podReplacementPolicy");
  if (replacement == "TerminatingOrFailed")
    findings.Error("spec.podReplacementPolicy", "must be Failed where podFailurePolicy is set");
  const json& rules = Member(policy, "rules");
  if (!rules.is_array()) return;
  const std::string here = "spec.podFailurePolicy.rules";
  if (rules.size() > kMaxRules)
    findings.Error(here,
                   fmt::format("has {} entries; at most {} are allowed", rules.size(), kMaxRules));
  const std::set<std::string> containers = ContainerNames(Path(spec, {"template", "spec"}));
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", here, i);
    const bool codes = IsSet(rules[i], "onExitCodes");
    const json& conditions = Member(rules[i], "onPodConditions");
    if (codes == !conditions.empty())
      findings.Error(at, "must have either onExitCodes or onPodConditions");
    if (Text(rules[i], "action") == "FailIndex" && !IsSet(spec, "backoffLimitPerIndex"))
      findings.Error(at + ".action", "FailIndex needs backoffLimitPerIndex");
    CheckExitCodes(Member(rules[i], "onExitCodes"), at + ".onExitCodes", containers, findings);
  }
}

void CheckSuccessPolicy(const json& spec, Findings& findings) {
  const json& rules = Path(spec, {"successPolicy", "rules"});
  if (!rules.is_array() || !IsIndexed(spec)) return;
  const std::string here = "spec.successPolicy.rules";
  if (rules.size() > kMaxRules)
    findings.Error(here,
                   fmt::format("has {} entries; at most {} are allowed", rules.size(), kMaxRules));
  const auto completions = WholeNumberOf(spec, "completions");
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", here, i);
    if (!IsSet(rules[i], "succeededCount") && !IsSet(rules[i], "succeededIndexes"))
      findings.Error(at, "needs succeededCount or succeededIndexes");
    const auto count = WholeNumberOf(rules[i], "succeededCount");
    if (count && completions && *count > *completions)
      findings.Error(at + ".succeededCount", "must not be above completions");
  }
}

void CheckManagedBy(const json& spec, Findings& findings) {
  const std::string name = Text(spec, "managedBy");
  if (name.empty()) return;
  if (name.find('/') == std::string::npos || name.size() > kMaxManagedBy)
    findings.Error("spec.managedBy",
                   fmt::format("\"{}\" is not a controller's name", name.substr(0, kMaxManagedBy)),
                   "leave it out: Kueue sets it; otherwise at most 63 letters like "
                   "example.com/controller");
}

}  // namespace

void CheckJobRules(const json& job, Findings& findings) {
  const json& spec = Member(job, "spec");
  if (!spec.is_object()) return;
  CheckRestartPolicy(spec, findings);
  if (IsIndexed(spec))
    CheckIndexed(job, spec, findings);
  else
    CheckNotIndexed(spec, findings);
  if (IsSet(spec, "maxFailedIndexes") && !IsSet(spec, "backoffLimitPerIndex"))
    findings.Error("spec.maxFailedIndexes", "needs backoffLimitPerIndex");
  CheckFailurePolicy(spec, findings);
  CheckSuccessPolicy(spec, findings);
  CheckManagedBy(spec, findings);
}

}  // namespace fedra::cli
