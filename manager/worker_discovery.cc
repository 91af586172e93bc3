#include "manager/worker_discovery.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "config/foreign_kubeconfig.h"
#include "manager/discovered_access.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"

namespace fedra {
namespace {

// How often it is looked whether a MultiKueueCluster has changed: in memory.
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
  thread_ = std::thread([this] { Run(); });
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
    for (const std::string& name : names)
      fresh->workers.push_back(
          {name, config::Unusable(
                     "MultiKueueCluster " + name, "is not known: " + fresh->unknown,
                     "is its Kueue there, and deploy/manager-rbac-discovery.yaml applied?")});
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

void WorkerDiscovery::Look() {
  const auto& cache = manager_.worker_clusters();
  const watch::CacheHealth health = cache.health();
  if (!health.complete) {
    if (reconcile::IsWithheld(health))
      Publish({.workers = {}, .unknown = verify::Problem(health, "multikueueclusters")});
    return;
  }
  WorkerClusters clusters = cache.List();
  Seen now;
  for (const auto& cluster : clusters)
    now.emplace_back(cluster->name, cluster->active.version.value);
  std::sort(now.begin(), now.end());
  const SteadyTime at = SystemClock().Steady();
  if (read_at_ && now == seen_ && at - *read_at_ < kReadInterval) return;
  const auto get = [this](const ObjectKey& key) {
    return manager_.cluster().Get(tracking::kSecrets, key);
  };
  const std::vector<config::DiscoveredWorker> none;
  auto workers = ReadDiscovered(std::move(clusters), settings_, SystemClock().Now(), get,
                                last_ ? last_->workers : none);
  seen_ = std::move(now);
  const bool all_usable = std::all_of(workers.begin(), workers.end(),
                                      [](const auto& worker) { return worker.access.has_value(); });
  read_at_ = all_usable ? at : at - kReadInterval + kRetryInterval;
  Publish({.workers = std::move(workers), .unknown = {}});
}

void WorkerDiscovery::Publish(DiscoveredWorkers found) {
  if (last_ && last_->unknown == found.unknown && config::AreSame(last_->workers, found.workers))
    return;
  last_ = found;
  shared_.With([&](Shared& shared) {
    if (!shared.stopping) shared.fresh = std::move(found);
  });
}

}  // namespace fedra
