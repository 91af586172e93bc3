#include "manager/discovery/worker_discovery.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "base/out_of_memory.h"
#include "cluster-clients/kube/resource_name.h"
#include "config/foreign_kubeconfig.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"

namespace fedra::discovery {
namespace {

// How often it is looked whether an object has changed: in memory.
constexpr std::chrono::milliseconds kLookInterval{500};
constexpr std::chrono::seconds kReadInterval{30};
// While one of them cannot be used: an administrator may be about to mend it.
constexpr std::chrono::seconds kRetryInterval{5};

std::string NamesOf(const std::vector<config::DiscoveredWorker>& workers) {
  std::vector<std::string> names;
  for (const config::DiscoveredWorker& worker : workers) names.push_back(worker.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

WorkerDiscovery::WorkerDiscovery(config::WorkersFrom settings, reconcile::ManagerCluster& manager,
                                 Remembered remembered)
    : settings_(std::move(settings)), manager_(manager), remembered_(std::move(remembered)) {}

void WorkerDiscovery::Start() {
  thread_ = StartThread([this] { Run(); });
}

void WorkerDiscovery::Stop() {
  shared_.With([](Shared& shared) { shared.stopping = true; });
  shared_.Notify();
  if (thread_.joinable()) thread_.join();
}

bool WorkerDiscovery::Update() {
  auto fresh =
      shared_.With([](Shared& shared) { return std::exchange(shared.fresh, std::nullopt); });
  if (!fresh) return false;
  if (!fresh->unknown.empty()) {
    const std::vector<std::string> names = remembered_();
    // Without a name, a worker's jobs would be taken for lost: nothing is decided before it is
    // known.
    if (names.empty()) return false;
    for (const std::string& name : names) {
      const bool found = std::any_of(fresh->workers.begin(), fresh->workers.end(),
                                     [&](const auto& worker) { return worker.name == name; });
      if (found) continue;
      const std::string about = "discovered worker " + name;
      fresh->workers.push_back(
          {name,
           config::Unusable(about, "is not known: " + fresh->unknown,
                            "is the API there, and are deploy/manager-rbac-discovery.yaml and, for "
                            "ClusterProfiles, deploy/manager-rbac-clusterprofiles.yaml applied?"),
           about});
    }
  }
  Publish(fresh->workers);
  used_ = std::move(fresh->workers);
  return true;
}

void WorkerDiscovery::Publish(const std::vector<config::DiscoveredWorker>& workers) const {
  log::Info("the discovered workers have changed", {{"workers", NamesOf(workers)}});
  for (const config::DiscoveredWorker& worker : workers) {
    if (worker.access) continue;
    log::Warn(
        "a discovered worker cannot be used",
        {{"cluster", worker.name}, {"problem", config::ToString(worker.access.error().problems)}});
  }
}

config::Loaded WorkerDiscovery::Complete(config::Loaded configured) const {
  if (used_) config::AddDiscovered(*used_, configured);
  return configured;
}

void WorkerDiscovery::Run() {
  const auto is_stopping = [](const Shared& shared) { return shared.stopping; };
  while (!shared_.WaitFor(kLookInterval, is_stopping, is_stopping)) Look();
}

std::optional<DiscoveryObjects> WorkerDiscovery::Objects() const {
  bool awaited = false;
  // Of the list of a cache, or why there is none.
  const auto known = [&](const auto& cache, const std::string& what, auto& objects) {
    const watch::CacheHealth health = cache.health();
    if (health.complete) {
      objects.list = cache.List();
    } else if (reconcile::IsWithheld(health)) {
      objects.unknown = verify::Problem(health, what);
    } else {
      awaited = true;
    }
  };
  DiscoveryObjects objects;
  if (settings_.multi_kueue_clusters)
    known(manager_.worker_clusters(), tracking::kMultiKueueClusters.plural, objects.clusters);
  for (const std::string& ns : config::ProfileNamespaces(settings_))
    known(manager_.cluster_profiles(ns), kube::ResourceIn(tracking::kClusterProfiles, ns),
          objects.profiles[ns]);
  if (awaited) return std::nullopt;
  return objects;
}

WorkerDiscovery::Seen WorkerDiscovery::SeenOf(const DiscoveryObjects& objects) {
  Seen seen;
  for (const auto& cluster : objects.clusters.list)
    seen.clusters.emplace_back(cluster->name, cluster->active.version.value);
  std::sort(seen.clusters.begin(), seen.clusters.end());
  for (const auto& [ns, profiles] : objects.profiles)
    for (const auto& profile : profiles.list) seen.profiles.push_back(*profile);
  std::sort(seen.profiles.begin(), seen.profiles.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return seen;
}

void WorkerDiscovery::Look() {
  const auto objects = Objects();
  if (!objects) return;
  Seen now = SeenOf(*objects);
  const SteadyTime at = SystemClock().Steady();
  if (read_at_ && now == seen_ && at - *read_at_ < kReadInterval) return;
  const GetSecret get = [this](const ObjectKey& key) {
    return manager_.cluster().Get(tracking::kSecrets, key);
  };
  const std::vector<config::DiscoveredWorker> none;
  DiscoveredWorkers found = ReadDiscovered({.objects = *objects,
                                            .settings = settings_,
                                            .now = SystemClock().Now(),
                                            .get_secret = get,
                                            .before = last_ ? last_->workers : none});
  seen_ = std::move(now);
  const bool all_usable = found.unknown.empty() &&
                          std::all_of(found.workers.begin(), found.workers.end(),
                                      [](const auto& worker) { return worker.access.has_value(); });
  read_at_ = all_usable ? at : at - kReadInterval + kRetryInterval;
  Publish(std::move(found));
}

void WorkerDiscovery::Publish(DiscoveredWorkers found) {
  if (last_ && last_->unknown == found.unknown && config::AreSame(last_->workers, found.workers))
    return;
  last_ = found;
  shared_.With([&](Shared& shared) {
    if (!shared.stopping) shared.fresh = std::move(found);
  });
}

}  // namespace fedra::discovery
