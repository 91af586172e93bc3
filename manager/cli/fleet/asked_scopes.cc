#include "manager/cli/fleet/asked_scopes.h"

#include <utility>

#include "manager/tracking/resources.h"
#include "manager/verify/verify.h"

namespace fedra::cli {
namespace {

template <class T>
verify::Cache<T> EmptyCache(typename verify::Cache<T>::Parser parser,
                            const std::function<void()>& on_change) {
  return verify::Cache<T>(
      std::move(parser), [](const ObjectKey&, const auto&, const auto&) {},
      [on_change](const watch::CacheHealth&) { on_change(); });
}

}  // namespace

AskedScopes::AskedScopes(std::string controller_name, bool kueue_copies,
                         const std::function<void()>& on_change)
    : checks_(EmptyCache<tracking::AdmissionCheck>(&tracking::ParseAdmissionCheck, on_change)),
      configs_(EmptyCache<tracking::MultiKueueConfig>(&tracking::ParseMultiKueueConfig, on_change)),
      queues_(EmptyCache<tracking::SharedQueue>(&tracking::ParseSharedQueue, on_change)),
      local_queues_(EmptyCache<verify::LocalQueue>(&verify::ParseLocalQueue, on_change)),
      worker_clusters_(
          EmptyCache<tracking::MultiKueueCluster>(&tracking::ParseMultiKueueCluster, on_change)),
      kueue_copies_(kueue_copies),
      scopes_(std::move(controller_name), checks_, configs_) {}

std::vector<verify::Input> AskedScopes::Inputs() {
  std::vector<verify::Input> inputs = {{tracking::kAdmissionChecks, &checks_},
                                       {tracking::kMultiKueueConfigs, &configs_},
                                       {tracking::kClusterQueues, &queues_},
                                       {tracking::kLocalQueues, &local_queues_}};
  if (kueue_copies_) inputs.push_back({tracking::kMultiKueueClusters, &worker_clusters_});
  return inputs;
}

bool AskedScopes::IsListing() const {
  return checks_.health().IsListing() || configs_.health().IsListing() ||
         queues_.health().IsListing() || local_queues_.health().IsListing() ||
         (kueue_copies_ && worker_clusters_.health().IsListing());
}

std::string AskedScopes::CheckFor(const tracking::Requirement& job) const {
  const auto local_queue = local_queues_.Find({job.ns, job.queue});
  const auto queue =
      local_queue == nullptr ? nullptr : queues_.Find({"", local_queue->cluster_queue});
  std::string ours;
  if (queue == nullptr) return ours;
  for (const std::string& check : queue->checks) {
    if (!scopes_.IsOurs(check)) continue;
    if (!ours.empty()) return {};
    ours = check;
  }
  return ours;
}

std::optional<verdict::Reason> AskedScopes::WhyNotAllowed(const tracking::Requirement& job,
                                                          const ClusterName& worker) const {
  if (auto excluded = WhyExcluded(job, worker)) return excluded;
  const tracking::Cordons cordons = scopes_.Cordons();
  if (const auto cordon = cordons.find(worker); cordon != cordons.end())
    return verify::WorkerCordoned(cordon->second);
  if (!kueue_copies_ || !worker_clusters_.health().complete) return std::nullopt;
  return verify::WhyDisconnected(worker_clusters_, worker);
}

std::optional<verdict::Reason> AskedScopes::WhyExcluded(const tracking::Requirement& job,
                                                        const ClusterName& worker) const {
  const watch::CacheHealth configs = configs_.health();
  if (!configs.IsCurrent() && !configs.complete) return std::nullopt;
  const std::string check = CheckFor(job);
  if (check.empty() || scopes_.Of(check).PlaceOf(worker)) return std::nullopt;
  return verify::ExcludedBy(check);
}

}  // namespace fedra::cli
