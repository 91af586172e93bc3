#include "manager/reconcile/check_keeper.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

std::string Listed(std::string_view label, const std::vector<std::string>& names) {
  return names.empty() ? std::string() : fmt::format("{}: [{}]", label, fmt::join(names, " "));
}

}  // namespace

CheckKeeper::CheckKeeper(ManagerCluster& manager, const Gatherer& gatherer, const Workers& workers,
                         const Clock& clock)
    : manager_(manager), gatherer_(gatherer), workers_(workers), clock_(clock) {}

tracking::ActiveCondition CheckKeeper::Desired(const tracking::AdmissionCheck& check) const {
  const CheckScope scope = gatherer_.ScopeOf(check);
  if (!scope.problem.empty())
    return {false, "BadConfig", "Cannot load the AdmissionChecks parameters: " + scope.problem};
  std::vector<std::string> missing = scope.names;
  std::vector<std::string> inactive;
  size_t usable = 0;
  for (const auto& worker : workers_) {
    const std::string& name = worker->name().value;
    const bool named = std::erase(missing, name) > 0;
    if (!scope.all && !named) continue;
    if (worker->contact() != placement::Contact::kNone) {
      ++usable;
    } else {
      inactive.push_back(name);
    }
  }
  if (missing.empty() && inactive.empty()) return {true, "Active", "The admission check is active"};
  std::string message = Listed("Missing clusters", missing);
  if (!missing.empty() && !inactive.empty()) message += ", ";
  message += Listed("Inactive clusters", inactive);
  return {usable > 0, usable > 0 ? "SomeActiveClusters" : "NoUsableClusters", std::move(message)};
}

Result<void> CheckKeeper::Keep(const std::string& name) {
  const auto check = manager_.checks().Find({"", name});
  if (check == nullptr || !gatherer_.IsOurCheck(*check)) return {};
  const tracking::ActiveCondition desired = Desired(*check);
  const bool same = check->active && check->active->is_true == desired.is_active &&
                    check->active->reason == desired.reason &&
                    check->active->message == desired.message &&
                    check->active_generation == check->generation;
  if (same) return {};
  auto written = manager_.cluster().MergePatch(tracking::kAdmissionChecks, {"", name},
                                               tracking::ActivePatch(*check, desired, clock_.Now()),
                                               {.field_manager = "fedra", .subresource = "status"});
  if (!written) return Fail(std::move(written).error());
  return {};
}

}  // namespace fedra::reconcile
