#include "manager/cli/fleet/asked_scopes.h"

#include <utility>

#include "manager/tracking/resources.h"

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

AskedScopes::AskedScopes(const std::string& controller_name, bool kueue_copies,
                         const std::function<void()>& on_change)
    : checks_(EmptyCache<tracking::AdmissionCheck>(&tracking::ParseAdmissionCheck, on_change)),
      configs_(EmptyCache<tracking::MultiKueueConfig>(&tracking::ParseMultiKueueConfig, on_change)),
      queues_(EmptyCache<tracking::SharedQueue>(&tracking::ParseSharedQueue, on_change)),
      local_queues_(EmptyCache<verify::LocalQueue>(&verify::ParseLocalQueue, on_change)),
      worker_clusters_(
          EmptyCache<tracking::MultiKueueCluster>(&tracking::ParseMultiKueueCluster, on_change)),
      kueue_copies_(kueue_copies),
      scopes_(
          controller_name,
          {.checks = checks_,
           .configs = configs_,
           .queue = [this](const ObjectKey& name) -> std::shared_ptr<const tracking::SharedQueue> {
             const auto local_queue = local_queues_.Find(name);
             return local_queue == nullptr ? nullptr
                                           : queues_.Find({"", local_queue->cluster_queue});
           },
           .worker_clusters = kueue_copies ? &worker_clusters_ : nullptr}) {}

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

}  // namespace fedra::cli
