#include "manager/verify/check_scope.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"
#include "manager/verify/verify.h"

namespace fedra::verify {
namespace {

constexpr std::string_view kConfigGroup = "kueue.x-k8s.io";
constexpr std::string_view kConfigKind = "MultiKueueConfig";

}  // namespace

std::optional<size_t> CheckScope::PlaceOf(const ClusterName& worker) const {
  if (all) return 0;
  const auto found = std::find(names.begin(), names.end(), worker.value);
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found - names.begin());
}

bool CheckScopes::IsOurs(const std::string& check) const {
  const auto found = checks_.Find({"", check});
  return found != nullptr && IsOurs(*found);
}

CheckScope CheckScopes::Of(const tracking::AdmissionCheck& check) const {
  CheckScope scope;
  const bool needs_config = check.controller_name == tracking::kMultiKueueController;
  if (!check.HasParameters() && !needs_config) return scope;
  scope.all = false;
  if (!check.HasParameters()) {
    scope.problem = "missing parameters reference";
    return scope;
  }
  if (check.parameters_group != kConfigGroup || check.parameters_kind != kConfigKind) {
    scope.problem = fmt::format("spec.parameters must name a {} of {}, not a {} of {}", kConfigKind,
                                kConfigGroup, check.parameters_kind, check.parameters_group);
    return scope;
  }
  const auto config = configs_.Find({"", check.parameters_name});
  if (config == nullptr) {
    const bool forbidden = configs_.health().state == watch::CacheState::kForbidden;
    scope.problem = fmt::format("MultiKueueConfig {} {}", check.parameters_name,
                                forbidden ? "cannot be read (403)" : "does not exist");
    return scope;
  }
  scope.names = config->clusters;
  return scope;
}

CheckScope CheckScopes::Of(const std::string& check) const {
  const auto found = check.empty() ? nullptr : checks_.Find({"", check});
  return found == nullptr ? CheckScope{} : Of(*found);
}

CordonsNow CheckScopes::Cordons() const {
  auto checks = checks_.List();
  std::erase_if(checks,
                [&](const auto& check) { return check->cordons.empty() || !IsOurs(*check); });
  return CordonsNow(std::move(checks));
}

const tracking::Cordon* CordonsNow::Find(const ClusterName& worker) const {
  const tracking::Cordon* first = nullptr;
  for (const auto& check : checks_) {
    const auto found = check->cordons.find(worker);
    if (found == check->cordons.end()) continue;
    if (found->second.drains) return &found->second;
    if (first == nullptr) first = &found->second;
  }
  return first;
}

tracking::Cordons CordonsNow::All() const {
  tracking::Cordons all;
  for (const auto& check : checks_)
    for (const auto& [worker, cordon] : check->cordons) all.try_emplace(worker, *Find(worker));
  return all;
}

std::optional<verdict::Reason> WhyDisconnected(
    const Cache<tracking::MultiKueueCluster>& worker_clusters, const ClusterName& worker) {
  const auto known = worker_clusters.Find({"", worker.value});
  if (known != nullptr && known->active.condition && known->active.condition->is_true)
    return std::nullopt;
  return KueueDisconnected(known.get());
}

}  // namespace fedra::verify
