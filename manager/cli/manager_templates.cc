#include "manager/cli/manager_templates.h"

#include <utility>

#include "manager/tracking/resources.h"
#include "manager/wiring.h"

namespace fedra::cli {

ManagerTemplates::ManagerTemplates(const config::Loaded& loaded, http::HttpLoop& loop,
                                   WorkerPool& pool, std::function<void()> on_change)
    : templates_(
          &verify::ParseTemplate, [](const ObjectKey&, const auto&, const auto&) {},
          [on_change](const watch::CacheHealth&) { on_change(); }),
      cluster_(ClusterName("manager"),
               loaded.manager ? ToAccess(*loaded.manager) : kube::AccessSettings(),
               ToOptions(loaded.configuration.manager.http_version), loop, pool, SystemClock(),
               [on_change](const ConnectionState&) { on_change(); }) {
  if (auto misconfigured = ToMisconfigured(loaded.manager))
    cluster_.SetMisconfigured(*std::move(misconfigured));
  cluster_.Watch({tracking::kTemplates, {}, {}, {}}, templates_);
  cluster_.Start();
}

bool ManagerTemplates::IsSettled() const {
  const ConnectionPhase phase = cluster_.state().phase;
  if (phase != ConnectionPhase::kConnected) return phase != ConnectionPhase::kConnecting;
  const watch::CacheHealth health = templates_.health();
  return health.complete || health.state != watch::CacheState::kSyncing;
}

const verify::Cache<verify::Claim>* ManagerTemplates::cache() const {
  return templates_.health().complete ? &templates_ : nullptr;
}

}  // namespace fedra::cli
