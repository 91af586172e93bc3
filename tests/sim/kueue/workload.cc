#include "tests/sim/kueue/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/kueue/names.h"

namespace fedra::sim {
namespace {

constexpr size_t kMaxMessage = 32 * 1024;

bool AllChecksReady(const Json& status) {
  const Json& checks = ArrayAt(status, {"admissionChecks"});
  return std::all_of(checks.begin(), checks.end(),
                     [](const Json& check) { return StringAt(check, {"state"}) == "Ready"; });
}

bool AwaitsTopology(const Json& status) {
  const Json& assignments = ArrayAt(status, {"admission", "podSetAssignments"});
  return std::any_of(assignments.begin(), assignments.end(), [](const Json& assignment) {
    return StringAt(assignment, {"delayedTopologyRequest"}) == "Pending";
  });
}

// A True condition that quota makes obsolete.
void ResetActive(Json& status, std::string_view type, int64_t generation) {
  if (!IsTrue(status, type)) return;
  const std::string message(StringAt(*FindCondition(status, type), {"message"}));
  SetCondition(status, {std::string(type), false, "QuotaReserved", "Previously: " + message},
               generation);
}

void ResetCheck(Json& check) {
  const std::string state(StringAt(check, {"state"}));
  if (state == "Pending") return;
  Json reset = {{"name", check["name"]},
                {"state", "Pending"},
                {"message", "Reset to Pending after eviction. Previously: " + state},
                {"lastTransitionTime", Timestamp()}};
  if (check.contains("requeueAfterSeconds")) {
    reset["requeueAfterSeconds"] = check["requeueAfterSeconds"];
  }
  if (state == "Retry") reset["retryCount"] = IntAt(check, {"retryCount"}) + 1;
  check = std::move(reset);
}

void CountEviction(Json& status, const std::string& reason) {
  Json& list = Make(status, {"schedulingStats", "evictions"});
  if (!list.is_array()) list = Json::array();
  for (Json& entry : list) {
    if (entry["reason"] != reason) continue;
    entry["count"] = IntAt(entry, {"count"}) + 1;
    return;
  }
  list.push_back({{"reason", reason}, {"underlyingCause", ""}, {"count", 1}});
}

}  // namespace

const Json& StatusOf(const Object& workload) {
  static const Json none = Json::object();
  const Json* status = At(workload.body, {"status"});
  return status == nullptr ? none : *status;
}

bool QuotaReserved(const Json& status) { return IsTrue(status, "QuotaReserved"); }
bool Admitted(const Json& status) { return IsTrue(status, "Admitted"); }
bool Finished(const Json& status) { return IsTrue(status, "Finished"); }
bool Evicted(const Json& status) { return IsTrue(status, "Evicted"); }
bool Active(const Json& workload) { return BoolAt(workload, {"spec", "active"}, true); }

Json MakeAdmission(const Json& workload, const std::string& queue, const Quota& quota,
                   const std::vector<Amounts>& per_pod_set) {
  const auto& nominal = quota.NominalOf(queue);
  Json assignments = Json::array();
  const Json& sets = ArrayAt(workload, {"spec", "podSets"});
  for (size_t i = 0; i < sets.size(); ++i) {
    Json assignment = {{"name", StringAt(sets[i], {"name"})},
                       {"count", IntAt(sets[i], {"count"}, 1)}};
    for (const auto& [resource, amount] : per_pod_set[i]) {
      const auto flavor = nominal.find(resource);
      if (flavor == nominal.end()) continue;
      assignment["flavors"][resource] = flavor->second.flavor;
      assignment["resourceUsage"][resource] = FormatMilli(amount);
    }
    assignments.push_back(std::move(assignment));
  }
  return {{"clusterQueue", queue}, {"podSetAssignments", std::move(assignments)}};
}

void ReserveQuota(Json& status, Json admission, int64_t generation) {
  const std::string queue = admission["clusterQueue"];
  status["admission"] = std::move(admission);
  SetCondition(status,
               {"QuotaReserved", true, "QuotaReserved", "Quota reserved in ClusterQueue " + queue},
               generation);
  for (const std::string_view type : {"Evicted", "Preempted", "BlockedOnPreemptionGates"}) {
    ResetActive(status, type, generation);
  }
}

void UnsetQuota(Json& status, const std::string& reason, const std::string& message,
                int64_t generation) {
  SetCondition(status, {"QuotaReserved", false, reason, message}, generation);
  status.erase("admission");
  SyncAdmitted(status, generation);
}

void SyncAdmitted(Json& status, int64_t generation) {
  const bool reserved = QuotaReserved(status);
  const bool ready = AllChecksReady(status) && !AwaitsTopology(status);
  if (Admitted(status) == (reserved && ready)) return;
  Condition condition{"Admitted", true, "Admitted", "The workload is admitted"};
  if (!reserved && !ready) {
    condition = {"Admitted", false, "NoReservationUnsatisfiedChecks",
                 "The workload has no reservation and not all checks ready"};
  } else if (!reserved) {
    condition = {"Admitted", false, "NoReservation", "The workload has no reservation"};
  } else if (!ready) {
    condition = {"Admitted", false, "UnsatisfiedChecks", "The workload has not all checks ready"};
  }
  SetCondition(status, condition, generation);
}

bool SyncChecks(Json& status, const std::vector<std::string>& names) {
  const Json& current = ArrayAt(status, {"admissionChecks"});
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  Json wanted = Json::array();
  for (const std::string& name : sorted) {
    const Json* check = EntryNamed(current, "name", name);
    wanted.push_back(check != nullptr ? *check
                                      : Json{{"name", name},
                                             {"state", "Pending"},
                                             {"message", ""},
                                             {"lastTransitionTime", Timestamp()}});
  }
  if (wanted.size() == current.size() &&
      std::equal(wanted.begin(), wanted.end(), current.begin(),
                 [](const Json& a, const Json& b) { return a["name"] == b["name"]; })) {
    return false;
  }
  if (wanted.empty()) {
    status.erase("admissionChecks");
  } else {
    status["admissionChecks"] = std::move(wanted);
  }
  return true;
}

void PrepareEviction(Json& status, const Owners& owners, const std::string& reason,
                     const std::string& message, int64_t generation) {
  SetCondition(status, {"Evicted", true, reason, message.substr(0, kMaxMessage)}, generation);
  for (const char* field : {"clusterName", "nominatedClusterNames"}) {
    const std::string path = fmt::format(".status.{}", field);
    if (MayDrop(owners, names::kAdmissionManager, path)) status.erase(field);
  }
  const auto checks = status.find("admissionChecks");
  if (checks != status.end()) {
    for (Json& check : *checks) ResetCheck(check);
  }
  CountEviction(status, reason.substr(0, reason.find("DueTo")));
}

void Finish(Json& status, const std::string& reason, const std::string& message,
            int64_t generation) {
  SetCondition(status, {"Finished", true, reason, message.substr(0, kMaxMessage)}, generation);
}

std::string ChecksIn(const Json& status, std::string_view state) {
  std::vector<std::string> parts;
  for (const Json& check : ArrayAt(status, {"admissionChecks"})) {
    if (StringAt(check, {"state"}) != state) continue;
    const std::string_view message = StringAt(check, {"message"});
    const std::string_view name = StringAt(check, {"name"});
    parts.push_back(message.empty() ? fmt::format("\"{}\"", name)
                                    : fmt::format("\"{}\" ({})", name, message));
  }
  if (parts.empty()) return {};
  return fmt::format("AdmissionCheck{} in {} state: {}", parts.size() > 1 ? "s" : "", state,
                     fmt::join(parts, "; "));
}

}  // namespace fedra::sim
