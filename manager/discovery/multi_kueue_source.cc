#include "manager/discovery/multi_kueue_source.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "cluster-clients/watch/object_cache.h"
#include "config/foreign_kubeconfig.h"
#include "manager/discovery/cluster_profile_source.h"
#include "manager/tracking/json_fields.h"

namespace fedra::discovery {
namespace {

using config::ClusterAccess;
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

ClusterAccess FromSecret(const DiscoveryView& view, const MultiKueueCluster& cluster,
                         const std::string& source) {
  const auto secret = view.get_secret({view.settings.secret_namespace, cluster.location});
  if (secret) return AccessIn(*secret, source, view.now);
  const Error& why = secret.error();
  if (why.code == ErrorCode::kNotFound)
    return config::Unusable(source, "does not exist",
                            "create it with the worker's kubeconfig in the key kubeconfig");
  if (const ClusterAccess* before = view.Before(cluster.name, source)) return *before;
  return config::Unusable(source, "cannot be read: " + ToString(why),
                          why.code == ErrorCode::kForbidden
                              ? "apply deploy/manager-rbac-discovery.yaml on the manager"
                              : "it is read again in a few seconds");
}

// Empty: it is a file, or not known.
std::string SourceOf(const DiscoveryView& view, const MultiKueueCluster& cluster) {
  const ObjectKey key{view.settings.secret_namespace, cluster.location};
  if (cluster.source == Source::kSecret) return "Secret " + key.ToString();
  return cluster.source == Source::kClusterProfile ? ProfileName(key) : std::string();
}

ClusterAccess Read(const DiscoveryView& view, const MultiKueueCluster& cluster,
                   const std::string& source) {
  if (!cluster.location.empty()) {
    switch (cluster.source) {
      case Source::kSecret:
        return FromSecret(view, cluster, source);
      case Source::kPath:
        return config::ReadForeignKubeconfig(cluster.location, view.settings.kubeconfig_folder,
                                             view.now);
      case Source::kClusterProfile:
        return AccessByProfile(view, cluster.name,
                               {view.settings.secret_namespace, cluster.location});
      case Source::kNone:
        break;
    }
  }
  return config::Unusable("MultiKueueCluster " + cluster.name,
                          "names neither a kubeconfig nor a ClusterProfile",
                          "write spec.clusterSource.kubeConfig.location, or "
                          "spec.clusterSource.clusterProfileRef.name");
}

}  // namespace

std::vector<config::DiscoveredWorker> FromMultiKueueClusters(const DiscoveryView& view) {
  auto clusters = view.objects.clusters.list;
  std::sort(clusters.begin(), clusters.end(), [](const auto& a, const auto& b) {
    return std::tie(a->created, a->name) < std::tie(b->created, b->name);
  });
  std::vector<config::DiscoveredWorker> workers;
  for (const auto& cluster : clusters) {
    std::string source = SourceOf(view, *cluster);
    ClusterAccess access = Read(view, *cluster, source);
    workers.push_back({cluster->name, std::move(access), "MultiKueueCluster " + cluster->name,
                       std::move(source)});
  }
  return workers;
}

}  // namespace fedra::discovery
