#include "manager/cli/fleet/discover.h"

#include <utility>

#include "base/time.h"
#include "cluster-clients/cluster.h"
#include "cluster-clients/threads.h"
#include "config/discovered.h"
#include "manager/cli/fleet/config_connect.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/discovered_access.h"
#include "manager/text/display_text.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using Cache = watch::ObjectCache<tracking::MultiKueueCluster>;

std::string NotDiscovered(const std::string& why) {
  return "workers are not discovered: " + text::Printable(why);
}

}  // namespace

std::string DiscoverWorkers(config::Loaded& loaded, std::chrono::milliseconds timeout) {
  const config::WorkersFrom from = loaded.configuration.workers_from;
  if (!from.multi_kueue_clusters) return {};
  FleetSignal signal;
  Cache clusters(
      &tracking::ParseMultiKueueCluster, [](const ObjectKey&, const auto&, const auto&) {},
      [&signal](const watch::CacheHealth&) { signal.Raise(); });
  Threads threads{1};
  ClusterSettings manager = ToManager(loaded);
  Cluster cluster(manager.name, manager.access, manager.options, threads.loop, threads.pool,
                  SystemClock(), [&signal](const ConnectionState&) { signal.Raise(); });
  if (manager.misconfigured) cluster.SetMisconfigured(*manager.misconfigured);
  cluster.Watch({.resource = tracking::kMultiKueueClusters}, clusters);
  cluster.Start();
  const SteadyTime end = SystemClock().Steady() + timeout;
  const auto is_pending = [&] {
    const ConnectionPhase phase = cluster.state().phase;
    return phase == ConnectionPhase::kConnecting ||
           (phase == ConnectionPhase::kConnected && clusters.health().IsListing());
  };
  constexpr std::chrono::milliseconds kLookAgain{100};
  while (is_pending() && SystemClock().Steady() < end) signal.Await(kLookAgain);
  std::string why;
  if (cluster.state().phase != ConnectionPhase::kConnected) {
    why = NotDiscovered("manager: " + WhyUnusable(cluster.state()));
  } else if (clusters.health().state != watch::CacheState::kSynced) {
    why = NotDiscovered(verify::Problem(clusters.health(), "multikueueclusters"));
  } else {
    const auto get = [&](const ObjectKey& key) { return cluster.Get(tracking::kSecrets, key); };
    config::AddDiscovered(ReadDiscovered(clusters.List(), from, SystemClock().Now(), get, {}),
                          loaded);
  }
  cluster.Stop();
  return why;
}

}  // namespace fedra::cli
