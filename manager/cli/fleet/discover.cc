#include "manager/cli/fleet/discover.h"

#include <map>
#include <memory>
#include <utility>

#include "base/time.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/kube/resource_name.h"
#include "cluster-clients/threads.h"
#include "config/discovered.h"
#include "manager/cli/fleet/config_connect.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/discovery/discovered_access.h"
#include "manager/text/display_text.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

std::string NotDiscovered(const std::string& why) {
  return "workers are not discovered: " + text::Printable(why);
}

// What makes workers, as the manager has it.
class AskedObjects final {
 public:
  AskedObjects(const config::WorkersFrom& from, FleetSignal& signal) {
    if (from.multi_kueue_clusters)
      clusters_ = Make<tracking::MultiKueueCluster>(&tracking::ParseMultiKueueCluster, signal);
    for (const std::string& ns : config::ProfileNamespaces(from))
      profiles_[ns] = Make<tracking::ClusterProfile>(&tracking::ParseClusterProfile, signal);
  }

  void WatchOn(Cluster& cluster) {
    if (clusters_ != nullptr)
      cluster.Watch({.resource = tracking::kMultiKueueClusters}, *clusters_);
    for (const auto& [ns, cache] : profiles_)
      cluster.Watch({.resource = tracking::kClusterProfiles, .ns = ns}, *cache);
  }
  bool IsListing() const {
    bool listing = clusters_ != nullptr && clusters_->health().IsListing();
    for (const auto& [ns, cache] : profiles_) listing = listing || cache->health().IsListing();
    return listing;
  }
  discovery::DiscoveryObjects Take() const {
    discovery::DiscoveryObjects objects;
    if (clusters_ != nullptr)
      objects.clusters = Known(*clusters_, tracking::kMultiKueueClusters.plural);
    for (const auto& [ns, cache] : profiles_)
      objects.profiles[ns] = Known(*cache, kube::ResourceIn(tracking::kClusterProfiles, ns));
    return objects;
  }

 private:
  template <class T>
  using Cache = watch::ObjectCache<T>;

  template <class T>
  static std::unique_ptr<Cache<T>> Make(typename Cache<T>::Parser parser, FleetSignal& signal) {
    return std::make_unique<Cache<T>>(
        std::move(parser), [](const ObjectKey&, const auto&, const auto&) {},
        [&signal](const watch::CacheHealth&) { signal.Raise(); });
  }
  template <class T>
  static discovery::KnownObjects<T> Known(const Cache<T>& cache, const std::string& what) {
    const watch::CacheHealth health = cache.health();
    if (health.state == watch::CacheState::kSynced) return {cache.List(), {}};
    return {{}, verify::Problem(health, what)};
  }

  std::unique_ptr<Cache<tracking::MultiKueueCluster>> clusters_;  // null: they make no workers
  std::map<std::string, std::unique_ptr<Cache<tracking::ClusterProfile>>> profiles_;
};

}  // namespace

std::string DiscoverWorkers(config::Loaded& loaded, std::chrono::milliseconds timeout) {
  const config::WorkersFrom from = loaded.configuration.workers_from;
  if (!config::DiscoversWorkers(from)) return {};
  FleetSignal signal;
  AskedObjects asked(from, signal);
  Threads threads{1};
  ClusterSettings manager = ToManager(loaded);
  Cluster cluster(manager.name, manager.access, manager.options, threads.loop, threads.pool,
                  SystemClock(), [&signal](const ConnectionState&) { signal.Raise(); });
  if (manager.misconfigured) cluster.SetMisconfigured(*manager.misconfigured);
  asked.WatchOn(cluster);
  cluster.Start();
  const SteadyTime end = SystemClock().Steady() + timeout;
  const auto is_pending = [&] {
    const ConnectionPhase phase = cluster.state().phase;
    return phase == ConnectionPhase::kConnecting ||
           (phase == ConnectionPhase::kConnected && asked.IsListing());
  };
  constexpr std::chrono::milliseconds kLookAgain{100};
  while (is_pending() && SystemClock().Steady() < end) signal.Await(kLookAgain);
  std::string why;
  if (cluster.state().phase != ConnectionPhase::kConnected) {
    why = NotDiscovered("manager: " + WhyUnusable(cluster.state()));
  } else {
    const discovery::GetSecret get = [&](const ObjectKey& key) {
      return cluster.Get(tracking::kSecrets, key);
    };
    const discovery::DiscoveredWorkers found =
        discovery::ReadDiscovered({.objects = asked.Take(),
                                   .settings = from,
                                   .now = SystemClock().Now(),
                                   .get_secret = get,
                                   .before = {}});
    config::AddDiscovered(found.workers, loaded);
    if (!found.unknown.empty()) why = NotDiscovered(found.unknown);
  }
  cluster.Stop();
  return why;
}

}  // namespace fedra::cli
