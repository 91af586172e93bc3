#include "tests/sim/api/rules.h"

#include <fmt/format.h>

#include "tests/sim/api/resource_types.h"
#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {
namespace {

bool IsJob(const ResourceType& type) { return type.group == "batch" && type.kind == "Job"; }
// Null pointer: no kind of job.
const JobKind* KindOf(const ResourceType& type) {
  for (const JobKind& kind : JobKinds()) {
    if (kind.group == type.group && kind.kind == type.kind) return &kind;
  }
  return nullptr;
}
bool IsWorkload(const ResourceType& type) { return type.custom && type.kind == "Workload"; }

bool IsRecord(const ResourceType& type) { return type.custom && type.kind == "PlacementRecord"; }

// DNS-1123 subdomain, the rule for most object names.
bool ValidName(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (alphanumeric(c)) continue;
    const bool inside = i > 0 && i + 1 < name.size();
    if (!inside || (c != '-' && c != '.')) return false;
    if (c == '.' && (!alphanumeric(name[i - 1]) || !alphanumeric(name[i + 1]))) return false;
  }
  return true;
}

FieldError BadName(std::string_view name) {
  return {"FieldValueInvalid", "metadata.name",
          fmt::format("Invalid value: \"{}\": a lowercase RFC 1123 subdomain must consist of lower "
                      "case alphanumeric characters, '-' or '.', and must start and end with an "
                      "alphanumeric character (e.g. 'example.com', regex used for validation is "
                      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
                      name)};
}

// A count is what a device request asks for unless it says otherwise.
void SetRequestDefaults(Json& request) {
  if (!request.is_object()) return;
  if (!request.contains("allocationMode")) request["allocationMode"] = "ExactCount";
  if (request["allocationMode"] == "ExactCount" && !request.contains("count")) request["count"] = 1;
}

void SetDeviceDefaults(Json& body) {
  const bool is_template = StringAt(body, {"kind"}) == "ResourceClaimTemplate";
  const Json* spec = is_template ? At(body, {"spec", "spec"}) : At(body, {"spec"});
  if (spec == nullptr || ArrayAt(*spec, {"devices", "requests"}).empty()) return;
  for (Json& request : const_cast<Json&>(*At(*spec, {"devices", "requests"}))) {
    if (!request.is_object()) continue;
    if (request.contains("exactly")) SetRequestDefaults(request["exactly"]);
    if (!ArrayAt(request, {"firstAvailable"}).empty()) {
      for (Json& alternative : request["firstAvailable"]) SetRequestDefaults(alternative);
    }
  }
}

// events.k8s.io: what the new API insists on.
void CheckEvent(const Json& event, std::vector<FieldError>& errors) {
  for (const std::string_view field :
       {"eventTime", "reportingController", "reportingInstance", "action", "reason"}) {
    if (StringAt(event, {field}).empty()) {
      errors.push_back({"FieldValueRequired", std::string(field), "Required value"});
    }
  }
  const std::string_view kind = StringAt(event, {"type"});
  if (kind != "Normal" && kind != "Warning") {
    errors.push_back({"FieldValueInvalid", "type",
                      fmt::format("Invalid value: \"{}\": has invalid value", kind)});
  }
  if (StringAt(event, {"note"}).size() > 1024) {
    errors.push_back(
        {"FieldValueInvalid", "message", "Invalid value: \"\": can have at most 1024 characters"});
  }
}

// The spec of these is fixed at creation.
bool SpecImmutable(const ResourceType& type) {
  return type.kind == "ResourceClaimTemplate" || type.kind == "ResourceClaim";
}

Outcome<void> Verdict(const ResourceType& type, const Json& object,
                      const std::vector<FieldError>& errors) {
  if (errors.empty()) return {};
  return Refuse(Invalid(type, StringAt(object, {"metadata", "name"}), errors));
}

}  // namespace

bool ConditionIs(const Json& status, std::string_view condition_type, std::string_view wanted) {
  const Json* condition = EntryNamed(ArrayAt(status, {"conditions"}), "type", condition_type);
  return condition != nullptr && StringAt(*condition, {"status"}) == wanted;
}

bool ConditionTrue(const Json& status, std::string_view condition_type) {
  return ConditionIs(status, condition_type, "True");
}

void SetDefaults(const ResourceType& type, Json& body) {
  if (IsJob(type)) SetJobDefaults(body);
  if (const JobKind* kind = KindOf(type)) SetKindDefaults(*kind, body);
  if (type.kind == "Namespace") {
    Make(body, {"metadata", "labels", "kubernetes.io/metadata.name"}) = body["metadata"]["name"];
    Make(body, {"spec", "finalizers"}) = {"kubernetes"};
    Make(body, {"status", "phase"}) = "Active";
  }
  if (type.group == "resource.k8s.io") SetDeviceDefaults(body);
  if (type.kind == "Pod") Make(body, {"status", "phase"}) = "Pending";
  if (IsWorkload(type) && At(body, {"spec", "active"}) == nullptr) {
    Make(body, {"spec", "active"}) = true;
  }
}

void SetUpdateDefaults(const ResourceType& type, Json& body) {
  if (type.group == "resource.k8s.io") SetDeviceDefaults(body);
}

Outcome<void> CheckCreate(const ResourceType& type, const Json& body) {
  std::vector<FieldError> errors;
  const std::string_view name = StringAt(body, {"metadata", "name"});
  if (!ValidName(name)) errors.push_back(BadName(name));
  if (IsJob(type)) {
    for (FieldError& error : CheckJob(body)) errors.push_back(std::move(error));
  }
  const JobKind* kind = KindOf(type);
  if (kind != nullptr && At(body, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) != nullptr) {
    for (auto& [field, problem] : Problems(*kind, body)) {
      errors.push_back({"FieldValueInvalid", field, fmt::format("Invalid value: {}", problem)});
    }
  }
  if (type.group == "events.k8s.io") CheckEvent(body, errors);
  if (IsRecord(type)) {
    for (FieldError& error : CheckPlacementRecord(body)) errors.push_back(std::move(error));
  }
  return Verdict(type, body, errors);
}

Outcome<void> CheckUpdate(const ResourceType& type, const Json& before, const Json& after) {
  if (IsWorkload(type)) return CheckWorkloadUpdate(type, before, after);
  std::vector<FieldError> errors;
  if (IsJob(type)) errors = CheckJobUpdate(before, after);
  if (IsRecord(type)) errors = CheckPlacementRecord(after);
  if (SpecImmutable(type) &&
      before.value("spec", Json::object()) != after.value("spec", Json::object())) {
    errors.push_back({"FieldValueInvalid", "spec", "Invalid value: {}: field is immutable"});
  }
  return Verdict(type, before, errors);
}

Outcome<void> CheckStatus(const ResourceType& type, const Json& object, const Json& status) {
  if (IsWorkload(type)) return CheckWorkloadStatus(type, object, status);
  if (IsJob(type)) return Verdict(type, object, CheckJobStatus(object, status));
  return {};
}

}  // namespace fedra::sim
