// kueue.x-k8s.io/v1beta2 Workload: the CRD's schema and CEL rules, then the validating webhook
// (config/components/crd/bases, pkg/webhooks/workload_webhook.go of Kueue 0.19.2). A webhook's
// refusal is a 403.

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/api/rules.h"

namespace fedra::sim {
namespace {

constexpr std::string_view kWebhook = "vworkload.kb.io";
constexpr size_t kMaxNominated = 20;
constexpr size_t kMaxChecks = 8;
constexpr size_t kMaxClusterName = 256;

FieldError Required(std::string field) {
  return {"FieldValueRequired", std::move(field), "Required value"};
}

FieldError RuleFailed(std::string field, std::string_view message) {
  return {"FieldValueInvalid", std::move(field), fmt::format("Invalid value: {}", message)};
}

FieldError TooMany(std::string field, size_t count, size_t limit) {
  return {"FieldValueTooMany", std::move(field),
          fmt::format("Too many: {}: must have at most {} items", count, limit)};
}

FieldError TooLong(std::string field) {
  return {"FieldValueTooLong", std::move(field),
          fmt::format("Too long: may not be more than {} bytes", kMaxClusterName)};
}

void RequireMembers(const Json& list, std::string_view name,
                    std::initializer_list<std::string_view> members,
                    std::vector<FieldError>& errors) {
  for (size_t i = 0; i < list.size(); ++i) {
    for (const std::string_view member : members) {
      if (At(list[i], {member}) == nullptr) {
        errors.push_back(Required(fmt::format("status.{}[{}].{}", name, i, member)));
      }
    }
  }
}

void CheckChecks(const Json& checks, std::vector<FieldError>& errors) {
  if (checks.size() > kMaxChecks) {
    errors.push_back(TooMany("status.admissionChecks", checks.size(), kMaxChecks));
  }
  RequireMembers(checks, "admissionChecks", {"lastTransitionTime", "message", "name", "state"},
                 errors);
  for (size_t i = 0; i < checks.size(); ++i) {
    const std::string_view state = StringAt(checks[i], {"state"});
    constexpr std::string_view kStates[] = {"Pending", "Ready", "Retry", "Rejected", ""};
    if (std::find(std::begin(kStates), std::end(kStates), state) == std::end(kStates)) {
      errors.push_back({"FieldValueNotSupported",
                        fmt::format("status.admissionChecks[{}].state", i),
                        fmt::format("Unsupported value: \"{}\": supported values: \"Pending\", "
                                    "\"Ready\", \"Retry\", \"Rejected\"",
                                    state)});
    }
  }
}

void CheckClusters(const Json& before, const Json& status, std::vector<FieldError>& errors) {
  const Json& nominated = ArrayAt(status, {"nominatedClusterNames"});
  const std::string_view winner = StringAt(status, {"clusterName"});
  const std::string_view old_winner = StringAt(before, {"clusterName"});
  if (nominated.size() > kMaxNominated) {
    errors.push_back(TooMany("status.nominatedClusterNames", nominated.size(), kMaxNominated));
  }
  if (winner.size() > kMaxClusterName) errors.push_back(TooLong("status.clusterName"));
  if (!old_winner.empty() && !winner.empty() && winner != old_winner) {
    errors.push_back(RuleFailed("status", "clusterName is immutable once set"));
  }
  if (!winner.empty() && !nominated.empty()) {
    errors.push_back(
        RuleFailed("status", "clusterName and nominatedClusterNames are mutually exclusive"));
  }
}

// These two of a pod set's assignment may be written later.
Json WithoutTopology(Json admission) {
  if (!admission.contains("podSetAssignments")) return admission;
  for (Json& assignment : admission["podSetAssignments"]) {
    assignment.erase("topologyAssignment");
    assignment.erase("delayedTopologyRequest");
  }
  return admission;
}

// The webhook: once it exists, the admission can be removed but not changed.
bool AdmissionChanged(const Json& before, const Json& status) {
  const Json* old_admission = At(before, {"admission"});
  const Json* new_admission = At(status, {"admission"});
  if (old_admission == nullptr || new_admission == nullptr) return false;
  return WithoutTopology(*old_admission) != WithoutTopology(*new_admission);
}

// With Kueue's gate ElasticJobsViaWorkloadSlices, which is on, counts may be lowered.
bool MayBecome(const Json& old_sets, const Json& new_sets) {
  if (old_sets.size() != new_sets.size()) return false;
  for (size_t i = 0; i < old_sets.size(); ++i) {
    Json kept = new_sets[i];
    if (IntAt(kept, {"count"}, 1) < IntAt(old_sets[i], {"count"}, 1))
      kept["count"] = IntAt(old_sets[i], {"count"}, 1);
    if (kept != old_sets[i]) return false;
  }
  return true;
}

}  // namespace

Outcome<void> CheckWorkloadUpdate(const ResourceType& type, const Json& before, const Json& after) {
  (void)type;
  const Json status = before.value("status", Json::object());
  if (!ConditionTrue(status, "QuotaReserved")) return {};
  const Json* old_sets = At(before, {"spec", "podSets"});
  const Json* new_sets = At(after, {"spec", "podSets"});
  if (old_sets != nullptr && (new_sets == nullptr || !MayBecome(*old_sets, *new_sets))) {
    return Refuse(DeniedByWebhook(kWebhook, "spec.podSets: Invalid value: {}: field is immutable"));
  }
  return {};
}

Outcome<void> CheckWorkloadStatus(const ResourceType& type, const Json& workload,
                                  const Json& status) {
  const Json none = Json::object();
  const Json* found = At(workload, {"status"});
  const Json& before = found == nullptr ? none : *found;
  std::vector<FieldError> errors;
  CheckChecks(ArrayAt(status, {"admissionChecks"}), errors);
  RequireMembers(ArrayAt(status, {"conditions"}), "conditions",
                 {"lastTransitionTime", "message", "reason", "status", "type"}, errors);
  CheckClusters(before, status, errors);
  if (!errors.empty()) {
    const bool structural = std::any_of(errors.begin(), errors.end(),
                                        [](const FieldError& e) { return e.field != "status"; });
    if (structural) {
      errors.push_back(RuleFailed("<nil>",
                                  "null: some validation rules were not checked because the "
                                  "object was invalid; correct the existing errors to complete "
                                  "validation"));
    }
    return Refuse(Invalid(type, StringAt(workload, {"metadata", "name"}), errors));
  }
  const std::string_view winner = StringAt(status, {"clusterName"});
  const bool replaces = !StringAt(workload, {"metadata", "annotations",
                                             "kueue.x-k8s.io/workload-slice-replacement-for"})
                             .empty();
  if (!winner.empty() && StringAt(before, {"clusterName"}).empty() && !replaces) {
    const Json& nominated = ArrayAt(before, {"nominatedClusterNames"});
    if (std::find(nominated.begin(), nominated.end(), winner) == nominated.end()) {
      return Refuse(DeniedByWebhook(
          kWebhook, fmt::format("status.clusterName: Invalid value: \"{}\": when setting "
                                "clusterName it must be one of the nominatedClusterNames",
                                winner)));
    }
  }
  if (AdmissionChanged(before, status)) {
    return Refuse(
        DeniedByWebhook(kWebhook, "status.admission: Invalid value: {}: field is immutable"));
  }
  if (ConditionTrue(status, "QuotaReserved") && !ConditionTrue(before, "QuotaReserved") &&
      At(status, {"admission"}) == nullptr) {
    return Refuse(DeniedByWebhook(kWebhook,
                                  "status.admission: Required value: must be set while the "
                                  "QuotaReserved condition is true"));
  }
  return {};
}

}  // namespace fedra::sim
