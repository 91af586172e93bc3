#include "manager/discovered_access.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "cluster-clients/watch/object_cache.h"
#include "config/foreign_kubeconfig.h"
#include "manager/tracking/json_fields.h"

namespace fedra {
namespace {

using config::ClusterAccess;
using config::DiscoveredWorker;
using tracking::MultiKueueCluster;
using Source = MultiKueueCluster::Source;

// What is said of a Secret never quotes it.
ClusterAccess AccessIn(const std::string& secret, const std::string& source, WallTime now) {
  const auto object = watch::ParseJson(secret);
  if (!object) return config::Unusable(source, "the answer is no object", "");
  const std::string key = tracking::kKubeconfigKey;
  const std::string data = tracking::Text(tracking::Member(*object, "data"), key);
  if (data.empty()) {
    return config::Unusable(source, fmt::format("has no key \"{}\"", key),
                            "put the worker's kubeconfig into that key");
  }
  const auto text = Base64Decode(data);
  if (!text) return config::Unusable(source, fmt::format("{} is not base64", key), "");
  return config::ParseForeignKubeconfig(*text, source, now);
}

class Reader final {
 public:
  Reader(const config::WorkersFrom& settings, WallTime now, const GetSecret& get_secret)
      : settings_(settings), now_(now), get_secret_(get_secret) {}

  // `before` null: it was not known.
  ClusterAccess Read(const MultiKueueCluster& cluster, const DiscoveredWorker* before) const {
    const std::string about = "MultiKueueCluster " + cluster.name;
    switch (cluster.source) {
      case Source::kSecret:
        return cluster.location.empty() ? NoSource(about) : FromSecret(cluster, before);
      case Source::kPath:
        return config::ReadForeignKubeconfig(cluster.location, settings_.kubeconfig_folder, now_);
      case Source::kClusterProfile:
        return config::Unusable(
            about, fmt::format("clusterProfileRef {} is not supported", cluster.location),
            "name a kubeconfig in spec.clusterSource.kubeConfig, or put the worker into fedra's "
            "configuration below workers",
            config::AccessFault::kUnsupported);
      case Source::kNone:
        break;
    }
    return NoSource(about);
  }

  // Empty: no Secret.
  std::string SourceOf(const MultiKueueCluster& cluster) const {
    if (cluster.source != Source::kSecret) return {};
    return fmt::format("Secret {}/{}", settings_.secret_namespace, cluster.location);
  }

 private:
  static ClusterAccess NoSource(const std::string& about) {
    return config::Unusable(about, "names no kubeconfig", "spec.clusterSource.kubeConfig.location");
  }

  ClusterAccess FromSecret(const MultiKueueCluster& cluster, const DiscoveredWorker* before) const {
    const std::string source = SourceOf(cluster);
    const auto secret = get_secret_({settings_.secret_namespace, cluster.location});
    if (secret) return AccessIn(*secret, source, now_);
    const Error& why = secret.error();
    if (why.code == ErrorCode::kNotFound)
      return config::Unusable(source, "does not exist",
                              "create it with the worker's kubeconfig in the key kubeconfig");
    // Of another Secret it may have been given up on purpose.
    if (before != nullptr && before->access && before->source == source) return before->access;
    return config::Unusable(source, "cannot be read: " + why.message,
                            why.code == ErrorCode::kForbidden
                                ? "apply deploy/manager-rbac-discovery.yaml on the manager"
                                : "it is read again in a few seconds");
  }

  const config::WorkersFrom& settings_;
  const WallTime now_;
  const GetSecret& get_secret_;
};

const DiscoveredWorker* Find(const std::vector<DiscoveredWorker>& workers,
                             const std::string& name) {
  const auto found = std::find_if(workers.begin(), workers.end(),
                                  [&](const DiscoveredWorker& one) { return one.name == name; });
  return found == workers.end() ? nullptr : &*found;
}

}  // namespace

std::vector<DiscoveredWorker> ReadDiscovered(WorkerClusters clusters,
                                             const config::WorkersFrom& settings, WallTime now,
                                             const GetSecret& get_secret,
                                             const std::vector<DiscoveredWorker>& before) {
  std::sort(clusters.begin(), clusters.end(), [](const auto& a, const auto& b) {
    return std::tie(a->created, a->name) < std::tie(b->created, b->name);
  });
  const Reader reader(settings, now, get_secret);
  std::vector<DiscoveredWorker> workers;
  for (const auto& cluster : clusters)
    workers.push_back({cluster->name, reader.Read(*cluster, Find(before, cluster->name)),
                       reader.SourceOf(*cluster)});
  return workers;
}

}  // namespace fedra
