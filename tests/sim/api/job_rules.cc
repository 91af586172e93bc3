// batch/v1 Job: pkg/apis/batch/{v1/defaults.go,validation/validation.go} and
// pkg/registry/batch/job/strategy.go of Kubernetes 1.36.3. The strict checks of the status are what
// an external controller of a Job (managedBy) meets.

#include <fmt/format.h>

#include "tests/sim/api/rules.h"

namespace fedra::sim {
namespace {

constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};

void Default(Json& object, Path path, Json value) {
  if (At(object, path) == nullptr) Make(object, path) = std::move(value);
}

void DefaultContainers(Json& pod, std::string_view list) {
  const auto containers = pod.find(list);
  if (containers == pod.end() || !containers->is_array()) return;
  for (Json& container : *containers) {
    if (!container.is_object()) continue;
    Default(container, {"resources"}, Json::object());
    Default(container, {"terminationMessagePath"}, "/dev/termination-log");
    Default(container, {"terminationMessagePolicy"}, "File");
    const bool latest = StringAt(container, {"image"}).find(':') == std::string_view::npos;
    Default(container, {"imagePullPolicy"}, latest ? "Always" : "IfNotPresent");
  }
}

void DefaultPod(Json& pod) {
  DefaultContainers(pod, "containers");
  DefaultContainers(pod, "initContainers");
  Default(pod, {"dnsPolicy"}, "ClusterFirst");
  Default(pod, {"schedulerName"}, "default-scheduler");
  Default(pod, {"securityContext"}, Json::object());
  Default(pod, {"terminationGracePeriodSeconds"}, 30);
}

FieldError BadValue(std::string field, const Json& value, std::string_view why) {
  return {"FieldValueInvalid", std::move(field),
          fmt::format("Invalid value: {}: {}", Serialize(value), why)};
}

FieldError Missing(std::string field, std::string_view why) {
  return {"FieldValueRequired", std::move(field), fmt::format("Required value: {}", why)};
}

FieldError BadConditions(std::string_view why) {
  return {"FieldValueInvalid", "status.conditions", fmt::format("Invalid value: {}", why)};
}

void CheckLabel(const Json& job, std::string_view key, std::string_view expected,
                std::vector<FieldError>& errors) {
  const Json& labels = job["spec"]["template"]["metadata"]["labels"];
  if (StringAt(labels, {key}) == expected) return;
  errors.push_back(BadValue(fmt::format("spec.template.metadata.labels[{}]", key), labels,
                            fmt::format("must be '{}'", expected)));
}

// Without manualSelector, the labels and the selector must be the generated ones.
void CheckGenerated(const Json& job, std::vector<FieldError>& errors) {
  if (BoolAt(job, {"spec", "manualSelector"})) return;
  const std::string_view uid = StringAt(job, {"metadata", "uid"});
  const std::string_view name = StringAt(job, {"metadata", "name"});
  for (const std::string_view key : kUidLabels) CheckLabel(job, key, uid, errors);
  for (const std::string_view key : kNameLabels) CheckLabel(job, key, name, errors);
  const Json* labels = At(job, {"spec", "selector", "matchLabels"});
  if (labels == nullptr) return;
  for (const auto& label : labels->items()) {
    const bool is_uid = label.key() == kUidLabels[0] || label.key() == kUidLabels[1];
    if (label.value() == (is_uid ? uid : name)) continue;
    errors.push_back(
        BadValue("spec.selector", job["spec"]["selector"], "`selector` not auto-generated"));
  }
}

// The template without what may change while a Job is suspended (gates
// MutableSchedulingDirectives... and MutablePodResourcesForSuspendedJobs, both on in 1.36).
Json FixedPart(const Json& job) {
  Json fixed = At(job, {"spec", "template"}) != nullptr ? job["spec"]["template"] : Json();
  if (!fixed.is_object()) return fixed;
  fixed.erase("metadata");
  const auto spec = fixed.find("spec");
  if (spec == fixed.end() || !spec->is_object()) return fixed;
  for (const char* free : {"nodeSelector", "tolerations", "schedulingGates", "affinity"}) {
    spec->erase(free);
  }
  for (const char* list : {"containers", "initContainers"}) {
    const auto containers = spec->find(list);
    if (containers == spec->end()) continue;
    for (Json& container : *containers) container.erase("resources");
  }
  return fixed;
}

bool TemplateChanged(const Json& before, const Json& after) {
  const Json& status = At(before, {"status"}) != nullptr ? before["status"] : Json::object();
  const bool mutable_part =
      BoolAt(before, {"spec", "suspend"}) &&
      (At(status, {"startTime"}) == nullptr || ConditionTrue(status, "Suspended")) &&
      IntAt(status, {"active"}) == 0;
  if (mutable_part) return FixedPart(before) != FixedPart(after);
  const Json* old_template = At(before, {"spec", "template"});
  const Json* new_template = At(after, {"spec", "template"});
  return old_template == nullptr || new_template == nullptr || *old_template != *new_template;
}

struct Terminal {
  bool complete;
  bool failed;
  bool criteria_met;
  bool failure_target;
  explicit Terminal(const Json& status)
      : complete(ConditionTrue(status, "Complete")),
        failed(ConditionTrue(status, "Failed")),
        criteria_met(ConditionTrue(status, "SuccessCriteriaMet")),
        failure_target(ConditionTrue(status, "FailureTarget")) {}
  bool finished() const { return complete || failed; }
};

void CheckTerminal(const Terminal& was, const Terminal& now, std::vector<FieldError>& errors) {
  if (now.complete && now.failed) {
    errors.push_back(BadConditions("cannot set Complete=True and Failed=true conditions"));
  }
  if (now.failed != was.failed && now.failed && !now.failure_target) {
    errors.push_back(
        BadConditions("cannot set Failed=True condition without the FailureTarget=true condition"));
  }
  if (now.complete != was.complete && now.complete && !now.criteria_met) {
    errors.push_back(BadConditions(
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"));
  }
  if (now.criteria_met && now.failed) {
    errors.push_back(
        BadConditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  }
  if (was.complete && !now.complete) {
    errors.push_back(BadConditions("cannot disable the terminal Complete=True condition"));
  }
  if (was.failed && !now.failed) {
    errors.push_back(BadConditions("cannot disable the terminal Failed=True condition"));
  }
  if (was.criteria_met && !now.criteria_met) {
    errors.push_back(BadConditions("cannot disable the SuccessCriteriaMet=True condition"));
  }
}

void CheckTimes(const Json& job, const Json& status, const Terminal& was, const Terminal& now,
                std::vector<FieldError>& errors) {
  const Json old_status = job.value("status", Json::object());
  const Json* start = At(status, {"startTime"});
  const Json* completion = At(status, {"completionTime"});
  const Json* old_start = At(old_status, {"startTime"});
  const Json* old_completion = At(old_status, {"completionTime"});
  const auto changed = [](const Json* a, const Json* b) {
    return (a == nullptr) != (b == nullptr) || (a != nullptr && *a != *b);
  };
  const bool start_changed = changed(start, old_start);
  const bool completion_changed = changed(completion, old_completion);
  if ((completion_changed || was.complete != now.complete) && completion != nullptr &&
      !now.complete) {
    errors.push_back(
        BadValue("status.completionTime", *completion,
                 "cannot set completionTime when there is no Complete=True condition"));
  }
  if ((completion_changed || was.complete != now.complete) && completion == nullptr &&
      now.complete) {
    errors.push_back(
        Missing("status.completionTime", "completionTime is required for Complete jobs"));
  }
  if ((start_changed || was.finished() != now.finished()) && start == nullptr && now.finished()) {
    errors.push_back(Missing("status.startTime", "startTime is required for finished job"));
  }
  if (start != nullptr && completion != nullptr && (start_changed || completion_changed) &&
      *completion < *start) {
    errors.push_back(
        BadValue("status.completionTime", *completion, "must be equal to or after `startTime`"));
  }
  if (completion != nullptr && old_completion != nullptr && completion_changed) {
    errors.push_back(BadValue("status.completionTime", *completion, "field is immutable"));
  }
  const bool resuming =
      ConditionTrue(old_status, "Suspended") && ConditionIs(status, "Suspended", "False");
  if (start_changed && !resuming && old_start != nullptr && !BoolAt(job, {"spec", "suspend"})) {
    errors.push_back(BadValue("status.startTime", start == nullptr ? Json() : *start,
                              "field is immutable for unsuspended job once set"));
  }
}

void CheckCounts(const Json& job, const Json& status, const Terminal& now,
                 std::vector<FieldError>& errors) {
  const Json old_status = job.value("status", Json::object());
  for (const std::string_view field : {"active", "ready", "succeeded", "failed", "terminating"}) {
    if (IntAt(status, {field}) < 0) {
      errors.push_back(BadValue(fmt::format("status.{}", field), status[std::string(field)],
                                "must be greater than or equal to 0"));
    }
  }
  for (const std::string_view field : {"succeeded", "failed"}) {
    if (IntAt(status, {field}) < IntAt(old_status, {field})) {
      errors.push_back(BadValue(fmt::format("status.{}", field), IntAt(status, {field}),
                                fmt::format("cannot decrease the {} counter", field)));
    }
  }
  for (const std::string_view field : {"active", "terminating"}) {
    if (now.finished() && IntAt(status, {field}) > 0) {
      errors.push_back(BadValue(fmt::format("status.{}", field), IntAt(status, {field}),
                                fmt::format("{}>0 is invalid for finished job", field)));
    }
  }
  if (IntAt(status, {"ready"}) > IntAt(status, {"active"})) {
    errors.push_back(BadValue("status.ready", IntAt(status, {"ready"}),
                              "cannot set more ready pods than active"));
  }
  for (const std::string_view list : {"succeeded", "failed"}) {
    if (now.finished() && !ArrayAt(status, {"uncountedTerminatedPods", list}).empty()) {
      errors.push_back(BadValue("status.uncountedTerminatedPods", status["uncountedTerminatedPods"],
                                "must be empty for finished job"));
    }
  }
}

}  // namespace

void SetJobDefaults(Json& job) {
  job["status"] = Json::object();
  Json& spec = Make(job, {"spec"});
  if (!spec.is_object()) spec = Json::object();
  if (!spec.contains("completions") && !spec.contains("parallelism")) spec["completions"] = 1;
  Default(spec, {"parallelism"}, 1);
  Default(spec, {"backoffLimit"}, 6);
  Default(spec, {"completionMode"}, "NonIndexed");
  Default(spec, {"suspend"}, false);
  Default(spec, {"manualSelector"}, false);
  Default(spec, {"podReplacementPolicy"},
          spec.contains("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  DefaultPod(Make(spec, {"template", "spec"}));
  if (BoolAt(spec, {"manualSelector"})) return;
  const Json uid = job["metadata"]["uid"];
  for (const std::string_view key : kUidLabels) {
    Default(spec, {"template", "metadata", "labels", key}, uid);
  }
  for (const std::string_view key : kNameLabels) {
    Default(spec, {"template", "metadata", "labels", key}, job["metadata"]["name"]);
  }
  Default(spec, {"selector", "matchLabels", kUidLabels[1]}, uid);
  if (At(job, {"metadata", "labels"}) == nullptr) {
    job["metadata"]["labels"] = spec["template"]["metadata"]["labels"];
  }
}

std::vector<FieldError> CheckJob(const Json& job) {
  std::vector<FieldError> errors;
  CheckGenerated(job, errors);
  if (ArrayAt(job, {"spec", "template", "spec", "containers"}).empty()) {
    errors.push_back({"FieldValueRequired", "spec.template.spec.containers", "Required value"});
  }
  const std::string_view restart = StringAt(job, {"spec", "template", "spec", "restartPolicy"});
  if (restart != "OnFailure" && restart != "Never") {
    errors.push_back(
        Missing("spec.template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\""));
  }
  return errors;
}

std::vector<FieldError> CheckJobUpdate(const Json& before, const Json& after) {
  std::vector<FieldError> errors;
  const auto immutable = [&](std::string_view field) {
    const Json* old_value = At(before, {"spec", field});
    const Json* new_value = At(after, {"spec", field});
    if ((old_value == nullptr) == (new_value == nullptr) &&
        (old_value == nullptr || *old_value == *new_value)) {
      return;
    }
    errors.push_back(BadValue(fmt::format("spec.{}", field),
                              new_value == nullptr ? Json() : *new_value, "field is immutable"));
  };
  for (const std::string_view field :
       {"selector", "completionMode", "managedBy", "podFailurePolicy", "backoffLimitPerIndex"}) {
    immutable(field);
  }
  if (TemplateChanged(before, after)) {
    errors.push_back(BadValue("spec.template", Json::object(), "field is immutable"));
  }
  return errors;
}

std::vector<FieldError> CheckJobStatus(const Json& job, const Json& status) {
  std::vector<FieldError> errors;
  const Terminal was(job.value("status", Json::object()));
  const Terminal now(status);
  CheckTerminal(was, now, errors);
  CheckTimes(job, status, was, now, errors);
  CheckCounts(job, status, now, errors);
  return errors;
}

}  // namespace fedra::sim
