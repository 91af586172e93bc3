#include "manager/cli/fleet/job_scopes.h"

#include <utility>

#include "manager/verify/verify.h"

namespace fedra::cli {

JobScopes::JobScopes(const std::string& controller_name, ScopeLists lists)
    : lists_(std::move(lists)), scopes_(controller_name, lists_.checks, lists_.configs) {}

std::string JobScopes::CheckFor(const tracking::Requirement& job) const {
  const auto queue = lists_.queue({job.ns, job.queue});
  std::string ours;
  if (queue == nullptr) return ours;
  for (const std::string& check : queue->checks) {
    if (!scopes_.IsOurs(check)) continue;
    if (!ours.empty()) return {};
    ours = check;
  }
  return ours;
}

std::optional<verdict::Reason> JobScopes::WhyNotAllowed(const tracking::Requirement& job,
                                                        const ClusterName& worker) const {
  if (auto excluded = WhyExcluded(job, worker)) return excluded;
  const verify::CordonsNow cordons = scopes_.Cordons();
  if (const tracking::Cordon* cordon = cordons.Find(worker); cordon != nullptr)
    return verify::WorkerCordoned(*cordon);
  const auto* const worker_clusters = lists_.worker_clusters;
  if (worker_clusters == nullptr || !worker_clusters->health().complete) return std::nullopt;
  return verify::WhyDisconnected(*worker_clusters, worker);
}

std::optional<verdict::Reason> JobScopes::WhyExcluded(const tracking::Requirement& job,
                                                      const ClusterName& worker) const {
  const watch::CacheHealth configs = lists_.configs.health();
  if (!configs.IsCurrent() && !configs.complete) return std::nullopt;
  const std::string check = CheckFor(job);
  if (check.empty() || scopes_.Of(check).PlaceOf(worker)) return std::nullopt;
  return verify::ExcludedBy(check);
}

}  // namespace fedra::cli
