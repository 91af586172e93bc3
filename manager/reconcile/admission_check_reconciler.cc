#include "manager/reconcile/admission_check_reconciler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

std::string Listed(std::string_view label, const std::vector<std::string>& names) {
  return names.empty() ? std::string() : fmt::format("{}: [{}]", label, fmt::join(names, " "));
}

}  // namespace

tracking::ActiveCondition ActiveOf(const verify::CheckScope& scope,
                                   const std::vector<CheckWorker>& workers) {
  if (!scope.problem.empty())
    return {false, "BadConfig", "Cannot load the AdmissionChecks parameters: " + scope.problem};
  std::vector<std::string> wanted = scope.names;
  if (scope.all) std::ranges::transform(workers, std::back_inserter(wanted), &CheckWorker::name);
  std::vector<std::string> missing;
  std::vector<std::string> inactive;
  size_t usable = 0;
  for (const std::string& name : wanted) {
    const auto worker = std::ranges::find(workers, name, &CheckWorker::name);
    if (worker == workers.end()) {
      missing.push_back(name);
    } else if (!worker->usable) {
      inactive.push_back(name);
    } else {
      ++usable;
    }
  }
  if (missing.empty() && inactive.empty()) {
    if (usable > 0) return {true, "Active", "The admission check is active"};
    return {false, "NoUsableClusters", "No worker clusters are configured"};
  }
  std::string message = Listed("Missing clusters", missing);
  if (!missing.empty() && !inactive.empty()) message += ", ";
  message += Listed("Inactive clusters", inactive);
  return {usable > 0, usable > 0 ? "SomeActiveClusters" : "NoUsableClusters", std::move(message)};
}

AdmissionCheckReconciler::AdmissionCheckReconciler(
    Cluster& manager, const watch::ObjectCache<tracking::AdmissionCheck>& checks,
    const verify::CheckScopes& scopes, const WorkerSet& workers, const Clock& clock)
    : manager_(manager), checks_(checks), scopes_(scopes), workers_(workers), clock_(clock) {}

Result<void> AdmissionCheckReconciler::Reconcile(const std::string& name) {
  const auto check = checks_.Find({"", name});
  if (check == nullptr || !scopes_.IsOurs(*check)) return {};
  std::vector<CheckWorker> workers;
  const auto now = workers_.Now();
  for (const auto& worker : *now) {
    if (now->removed().contains(worker->name())) continue;
    workers.push_back({worker->name().value, worker->contact() != placement::Contact::kNone});
  }
  const tracking::ActiveCondition desired = ActiveOf(scopes_.Of(*check), workers);
  if (tracking::Says(check->active, desired)) return {};
  auto written = manager_.MergePatch(tracking::kAdmissionChecks, {"", name},
                                     tracking::ActivePatch(check->active, desired, clock_.Now()),
                                     {.field_manager = "fedra", .subresource = "status"});
  if (!written) return Fail(std::move(written).error());
  return {};
}

}  // namespace fedra::reconcile
