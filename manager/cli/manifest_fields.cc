#include "manager/cli/manifest_fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/text.h"
#include "config/names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

const FieldList kObject = {{"apiVersion", "kind", "metadata", "spec"}, {"status"}};
const FieldList kMetadata = {
    {"name", "namespace", "labels", "annotations"},
    {"generateName", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
     "deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers",
     "managedFields"}};

const FieldList kJobSpec = {
    {"parallelism", "completions", "template"},
    {"activeDeadlineSeconds", "podFailurePolicy", "successPolicy", "backoffLimit",
     "backoffLimitPerIndex", "maxFailedIndexes", "selector", "manualSelector",
     "ttlSecondsAfterFinished", "completionMode", "suspend", "podReplacementPolicy", "managedBy"}};

const FieldList kPodTemplate = {{"metadata", "spec"}};
const FieldList kPodSpec = {
    {"containers", "initContainers", "resourceClaims", "resources", "nodeSelector", "nodeName",
     "affinity", "tolerations", "overhead", "schedulingGroup"},
    {"volumes",
     "ephemeralContainers",
     "restartPolicy",
     "terminationGracePeriodSeconds",
     "activeDeadlineSeconds",
     "dnsPolicy",
     "serviceAccountName",
     "serviceAccount",
     "automountServiceAccountToken",
     "hostNetwork",
     "hostPID",
     "hostIPC",
     "shareProcessNamespace",
     "securityContext",
     "imagePullSecrets",
     "hostname",
     "subdomain",
     "schedulerName",
     "hostAliases",
     "priorityClassName",
     "priority",
     "dnsConfig",
     "readinessGates",
     "runtimeClassName",
     "enableServiceLinks",
     "preemptionPolicy",
     "topologySpreadConstraints",
     "setHostnameAsFQDN",
     "os",
     "hostUsers",
     "schedulingGates",
     "hostnameOverride",
     "workloadRef"}};
const FieldList kContainer = {{"name", "resources", "restartPolicy"},
                              {"image",
                               "command",
                               "args",
                               "workingDir",
                               "ports",
                               "envFrom",
                               "env",
                               "resizePolicy",
                               "restartPolicyRules",
                               "volumeMounts",
                               "volumeDevices",
                               "livenessProbe",
                               "readinessProbe",
                               "startupProbe",
                               "lifecycle",
                               "terminationMessagePath",
                               "terminationMessagePolicy",
                               "imagePullPolicy",
                               "securityContext",
                               "stdin",
                               "stdinOnce",
                               "tty"}};
const FieldList kResources = {{"claims", "requests", "limits"}};
const FieldList kClaimUse = {{"name", "request"}};
// `source` is of the alpha API: how claims are named (manifest_pods.cc) has more to say of it.
const FieldList kPodClaim = {{"name", "resourceClaimTemplateName", "resourceClaimName", "source"}};
const FieldList kToleration = {{"key", "operator", "value", "effect"}, {"tolerationSeconds"}};
const FieldList kAffinity = {{"nodeAffinity"}, {"podAffinity", "podAntiAffinity"}};
const FieldList kNodeAffinity = {{"requiredDuringSchedulingIgnoredDuringExecution"},
                                 {"preferredDuringSchedulingIgnoredDuringExecution"}};
const FieldList kNodeSelector = {{"nodeSelectorTerms"}};
const FieldList kNodeSelectorTerm = {{"matchExpressions", "matchFields"}};
const FieldList kNodeExpression = {{"key", "operator", "values"}};
const FieldList kSchedulingGroup = {{"podGroupName"}};

// The elements of a list, with the path of each; what is no list is somebody else's to tell.
template <class F>
void ForEachIn(const json& list, const std::string& path, F&& each) {
  if (!list.is_array()) return;
  for (size_t i = 0; i < list.size(); ++i) each(list[i], fmt::format("{}[{}]", path, i));
}

void CheckEach(const json& list, const std::string& path, const FieldList& known,
               Findings& findings) {
  ForEachIn(list, path, [&](const json& element, const std::string& at) {
    CheckFields(element, at, known, findings);
  });
}

void CheckContainerFields(const json& spec, const char* list, const std::string& path,
                          Findings& findings) {
  const std::string here = fmt::format("{}.{}", path, list);
  ForEachIn(Member(spec, list), here, [&](const json& container, const std::string& at) {
    CheckFields(container, at, kContainer, findings);
    CheckFields(Member(container, "resources"), at + ".resources", kResources, findings);
    CheckEach(Path(container, {"resources", "claims"}), at + ".resources.claims", kClaimUse,
              findings);
  });
}

void CheckNodeSelector(const json& selector, const std::string& path, Findings& findings) {
  CheckFields(selector, path, kNodeSelector, findings);
  ForEachIn(Member(selector, "nodeSelectorTerms"), path + ".nodeSelectorTerms",
            [&](const json& term, const std::string& at) {
              CheckFields(term, at, kNodeSelectorTerm, findings);
              for (const char* list : {"matchExpressions", "matchFields"})
                CheckEach(Member(term, list), fmt::format("{}.{}", at, list), kNodeExpression,
                          findings);
            });
}

}  // namespace

void CheckFields(const json& object, const std::string& path, const FieldList& known,
                 Findings& findings) {
  if (!object.is_object()) return;
  std::vector<std::string> all = known.decisive;
  all.insert(all.end(), known.others.begin(), known.others.end());
  for (const auto& [member, value] : object.items()) {
    if (Contains(all, member)) continue;
    const std::string closest = config::ClosestName(member, all);
    const Severity severity =
        Contains(known.decisive, closest) ? Severity::kError : Severity::kWarning;
    findings.Add(severity, path, fmt::format("there is no field \"{}\"", member),
                 closest.empty() ? "an API server drops it or refuses the object, unless it is of "
                                   "a Kubernetes newer than 1.36"
                                 : fmt::format("did you mean \"{}\"?", closest));
  }
}

void CheckObjectFields(const json& object, Findings& findings) {
  CheckFields(object, "", kObject, findings);
  CheckMetadataFields(Member(object, "metadata"), "metadata", findings);
}

void CheckObjectName(const json& object, Findings& findings) {
  const json& metadata = Member(object, "metadata");
  const auto refuse = [&](const char* field, const std::string& text, const char* hint) {
    findings.Error(fmt::format("metadata.{}", field), fmt::format("\"{}\" is no name", text), hint);
  };
  constexpr const char* kHint =
      "lower-case letters, digits, - and ., with a letter or digit at both ends";
  const std::string name = Text(metadata, "name");
  const std::string prefix = Text(metadata, "generateName");
  const std::string ns = Text(metadata, "namespace");
  if (!name.empty() && !IsDnsSubdomain(name)) refuse("name", name, kHint);
  // It is a label of its pods.
  if (Text(object, "kind") == "Job" && name.size() > 63)
    findings.Error("metadata.name", "the name of a Job has at most 63 letters");
  // It may end in "-": more follows.
  if (!prefix.empty() && !IsDnsSubdomain(prefix.ends_with('-') ? prefix + "x" : prefix))
    refuse("generateName", prefix, kHint);
  if (name.empty() && prefix.empty()) findings.Error("metadata.name", "is missing");
  if (!ns.empty() && !IsDnsLabel(ns))
    refuse("namespace", ns, "lower-case letters, digits and -, at most 63");
}

void CheckMetadataFields(const json& metadata, const std::string& path, Findings& findings) {
  CheckFields(metadata, path, kMetadata, findings);
}

void CheckJobFields(const json& job, Findings& findings) {
  CheckFields(Member(job, "spec"), "spec", kJobSpec, findings);
}

void CheckPodFields(const json& pod_template, const std::string& path, Findings& findings) {
  const json& spec = Member(pod_template, "spec");
  const std::string here = path + ".spec";
  CheckFields(pod_template, path, kPodTemplate, findings);
  CheckMetadataFields(Member(pod_template, "metadata"), path + ".metadata", findings);
  CheckFields(spec, here, kPodSpec, findings);
  CheckFields(Member(spec, "resources"), here + ".resources", kResources, findings);
  CheckEach(Member(spec, "resourceClaims"), here + ".resourceClaims", kPodClaim, findings);
  CheckEach(Member(spec, "tolerations"), here + ".tolerations", kToleration, findings);
  CheckFields(Member(spec, "affinity"), here + ".affinity", kAffinity, findings);
  CheckFields(Path(spec, {"affinity", "nodeAffinity"}), here + ".affinity.nodeAffinity",
              kNodeAffinity, findings);
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  CheckNodeSelector(Path(spec, {"affinity", "nodeAffinity", kRequired}),
                    here + ".affinity.nodeAffinity." + kRequired, findings);
  CheckFields(Member(spec, "schedulingGroup"), here + ".schedulingGroup", kSchedulingGroup,
              findings);
  CheckContainerFields(spec, "initContainers", here, findings);
  CheckContainerFields(spec, "containers", here, findings);
}

}  // namespace fedra::cli
