#include "manager/cli/fleet/asked_manager.h"

#include <utility>

#include "manager/reconcile/manager_cluster.h"
#include "manager/tracking/resources.h"
#include "manager/verify/dra_api.h"

namespace fedra::cli {
namespace {

std::map<const tracking::JobAdapter*, verify::ReferenceIndex> IndexesOf(
    std::span<const tracking::JobAdapter* const> kinds, const std::function<void()>& on_change) {
  std::map<const tracking::JobAdapter*, verify::ReferenceIndex> indexes;
  for (const tracking::JobAdapter* kind : kinds) {
    const std::vector<kube::Resource> resources = kind->ReferencedResources();
    if (!resources.empty())
      indexes.try_emplace(kind, resources, [](const ObjectKey&) {}, on_change);
  }
  return indexes;
}

}  // namespace

AskedManager::AskedManager(ClusterSettings settings, const std::string& controller_name,
                           bool kueue_copies, std::span<const tracking::JobAdapter* const> kinds,
                           const std::function<void()>& on_change)
    : templates_(
          &verify::ParseTemplate, [](const ObjectKey&, const auto&, const auto&) {},
          [on_change](const watch::CacheHealth&) { on_change(); }),
      references_(IndexesOf(kinds, on_change)),
      scopes_(controller_name, kueue_copies, on_change),
      cluster_(std::move(settings.name), std::move(settings.access), std::move(settings.options),
               threads_.loop, threads_.pool, SystemClock(),
               [this, on_change](const ConnectionState& state) {
                 if (state.phase == ConnectionPhase::kConnected && !watching_.exchange(true))
                   Watch();
                 on_change();
               }) {
  if (settings.misconfigured) cluster_.SetMisconfigured(*std::move(settings.misconfigured));
  cluster_.Start();
}

AskedManager::~AskedManager() = default;

void AskedManager::Watch() {
  const std::string_view version = verify::DraVersion(cluster_.server().get());
  cluster_.Watch({verify::InVersion(tracking::kTemplates, version)}, templates_);
  for (const auto& [kind, references] : references_) {
    for (const verify::Input& input : references.Inputs())
      cluster_.Watch(verify::WatchOf(input), *input.sink);
  }
  for (const verify::Input& input : scopes_.Inputs())
    cluster_.Watch(verify::WatchOf(input), *input.sink);
}

bool AskedManager::HasAnswered() const {
  const ConnectionPhase phase = cluster_.state().phase;
  if (phase != ConnectionPhase::kConnected) return phase != ConnectionPhase::kConnecting;
  if (templates_.health().IsListing() || scopes_.IsListing()) return false;
  for (const auto& [kind, references] : references_) {
    for (const verify::Input& input : references.Inputs())
      if (input.sink->health().IsListing()) return false;
  }
  return true;
}

ManagerFacts AskedManager::Facts() const {
  ManagerFacts facts{.templates = cache(), .uid = uid_};
  facts.why_not_allowed = [this](const tracking::Requirement& job, const ClusterName& worker) {
    return scopes_.WhyNotAllowed(job, worker);
  };
  for (const auto& [kind, references] : references_) facts.references[kind] = &references;
  return facts;
}

const verify::Cache<verify::ClaimSummary>* AskedManager::cache() const {
  return templates_.health().complete ? &templates_ : nullptr;
}

void AskedManager::Identify() {
  if (cluster_.state().phase != ConnectionPhase::kConnected) return;
  const Result<std::string> uid = reconcile::ReadClusterUid(cluster_);
  if (uid || IsRefusal(uid.error().code)) uid_ = uid.value_or("");
}

}  // namespace fedra::cli
