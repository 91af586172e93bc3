#include "manager/discovery/cluster_profile_source.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/label_selector.h"
#include "config/foreign_kubeconfig.h"
#include "config/profile_access.h"

namespace fedra::discovery {
namespace {

using config::ClusterAccess;
using tracking::ClusterProfile;
using tracking::MultiKueueCluster;

// Null: that namespace is not read.
const KnownProfiles* ProfilesIn(const DiscoveryView& view, const std::string& ns) {
  const auto found = view.objects.profiles.find(ns);
  return found == view.objects.profiles.end() ? nullptr : &found->second;
}

ClusterAccess ReadAccess(const DiscoveryView& view, const ClusterProfile& profile) {
  std::vector<config::OfferedAccess> offered;
  for (const ClusterProfile::Access& access : profile.access)
    offered.push_back({access.provider, access.cluster, access.path});
  return config::ReadProfileAccess(offered, view.settings.access_providers,
                                   ProfileName(profile.key), view.now);
}

// Whether a MultiKueueCluster makes it a worker already.
bool IsNamed(const DiscoveryView& view, const ClusterProfile& profile) {
  const auto& clusters = view.objects.clusters.list;
  return profile.key.ns == view.settings.secret_namespace &&
         std::any_of(clusters.begin(), clusters.end(), [&](const auto& cluster) {
           return cluster->source == MultiKueueCluster::Source::kClusterProfile &&
                  cluster->location == profile.key.name;
         });
}

}  // namespace

std::string ProfileName(const ObjectKey& profile) { return "ClusterProfile " + profile.ToString(); }

ClusterAccess AccessByProfile(const DiscoveryView& view, const std::string& worker,
                              const ObjectKey& profile) {
  const std::string name = ProfileName(profile);
  const KnownProfiles* known = ProfilesIn(view, profile.ns);
  // Without a provider none is read, and that is what has to be mended.
  if (known == nullptr) return ReadAccess(view, ClusterProfile{.key = profile});
  if (!known->unknown.empty()) {
    if (const ClusterAccess* before = view.Before(worker, name)) return *before;
    return config::Unusable(name, "cannot be read: " + known->unknown,
                            "is the Cluster Inventory API's CRD there, and "
                            "deploy/manager-rbac-clusterprofiles.yaml applied?");
  }
  const auto found = std::find_if(known->list.begin(), known->list.end(),
                                  [&](const auto& one) { return one->key == profile; });
  if (found == known->list.end())
    return config::Unusable(name, "does not exist",
                            "create it in Kueue's namespace (workersFrom.secretNamespace), or name "
                            "another one in spec.clusterSource.clusterProfileRef");
  return ReadAccess(view, **found);
}

std::vector<config::DiscoveredWorker> FromClusterProfiles(const DiscoveryView& view) {
  std::vector<config::DiscoveredWorker> workers;
  const config::ClusterProfilesFrom& from = view.settings.cluster_profiles;
  const KnownProfiles* known = from.ns.empty() ? nullptr : ProfilesIn(view, from.ns);
  // The configuration has been checked.
  const auto selector = LabelSelector::Parse(from.selector);
  if (known == nullptr || !selector) return workers;
  // One of them may have another name there.
  if (!view.objects.clusters.unknown.empty()) return workers;
  auto profiles = known->list;
  std::sort(profiles.begin(), profiles.end(), [](const auto& a, const auto& b) {
    return std::tie(a->created, a->key.name) < std::tie(b->created, b->key.name);
  });
  for (const auto& profile : profiles) {
    if (!selector->Matches(profile->labels) || IsNamed(view, *profile)) continue;
    const std::string name = ProfileName(profile->key);
    workers.push_back({profile->key.name, ReadAccess(view, *profile), name, name});
  }
  return workers;
}

std::string WhyProfilesUnknown(const DiscoveryView& view) {
  const std::string& ns = view.settings.cluster_profiles.ns;
  const KnownProfiles* known = ns.empty() ? nullptr : ProfilesIn(view, ns);
  return known == nullptr ? std::string() : known->unknown;
}

}  // namespace fedra::discovery
