#include "manager/discovery/cluster_profile_source.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "tests/support/catch.h"

namespace fedra::discovery::cluster_profile_source_test {

using tracking::ClusterProfile;
using tracking::MultiKueueCluster;

namespace {

std::shared_ptr<const ClusterProfile> Profile(const ObjectKey& key, const std::string& host,
                                              LabelSelector::Labels labels = {}, int age = 0) {
  ClusterProfile profile;
  profile.key = key;
  profile.created -= std::chrono::seconds(age);
  profile.labels = std::move(labels);
  profile.access = {{"fleet", fmt::format(R"({{"server":"https://{}"}})", host),
                     "status.accessProviders[0].cluster"}};
  return std::make_shared<const ClusterProfile>(profile);
}

std::shared_ptr<const MultiKueueCluster> Naming(const std::string& name,
                                                const std::string& profile) {
  MultiKueueCluster cluster;
  cluster.name = name;
  cluster.source = MultiKueueCluster::Source::kClusterProfile;
  cluster.location = profile;
  return std::make_shared<const MultiKueueCluster>(cluster);
}

struct Manager {
  config::WorkersFrom settings;
  DiscoveryObjects objects;

  Manager() {
    settings.cluster_profiles.ns = "fleet";
    config::AccessProvider& provider = settings.access_providers.emplace_back();
    provider.name = "fleet";
    provider.exec.command = "fleet-token";
    objects.profiles["fleet"];
  }
  void NameThem() {
    settings.multi_kueue_clusters = true;
    objects.profiles["kueue-system"];
  }
  void Add(const std::shared_ptr<const ClusterProfile>& profile) {
    objects.profiles[profile->key.ns].list.push_back(profile);
  }
  DiscoveredWorkers Read(const std::vector<config::DiscoveredWorker>& before = {}) const {
    const GetSecret none = [](const ObjectKey&) -> Result<std::string> {
      return Fail(ErrorCode::kInternal, "no Secret is asked for");
    };
    return ReadDiscovered({.objects = objects,
                           .settings = settings,
                           .now = WallTime{},
                           .get_secret = none,
                           .before = before});
  }
  // "east=https://a west=PROBLEM"
  std::string Now(const std::vector<config::DiscoveredWorker>& before = {}) const {
    std::string text;
    for (const config::DiscoveredWorker& worker : Read(before).workers)
      text += fmt::format(
          "{}{}={}", text.empty() ? "" : " ", worker.name,
          worker.access ? worker.access->server : config::ToString(worker.access.error().problems));
    return text;
  }
};

}  // namespace

TEST_CASE("ClusterProfiles are workers under their own names, the oldest first") {
  Manager manager;
  manager.Add(Profile({"fleet", "b"}, "b", {}, 5));
  manager.Add(Profile({"fleet", "a"}, "a", {}, 5));
  manager.Add(Profile({"fleet", "old"}, "old", {}, 60));
  const DiscoveredWorkers found = manager.Read();
  CHECK(manager.Now() == "old=https://old a=https://a b=https://b");
  CHECK(found.unknown.empty());
  CHECK(found.workers[0].found == "ClusterProfile fleet/old");
  REQUIRE(found.workers[0].access);
  CHECK(found.workers[0].access->exec->command == "fleet-token");
}

TEST_CASE("the selector chooses among them") {
  Manager manager;
  manager.settings.cluster_profiles.selector = "env=prod,!drained";
  manager.Add(Profile({"fleet", "a"}, "a", {{"env", "prod"}}));
  manager.Add(Profile({"fleet", "b"}, "b", {{"env", "test"}}));
  manager.Add(Profile({"fleet", "c"}, "c", {{"env", "prod"}, {"drained", ""}}));
  CHECK(manager.Now() == "a=https://a");
}

TEST_CASE("a MultiKueueCluster names a ClusterProfile of Kueue's namespace") {
  Manager manager;
  manager.NameThem();
  manager.settings.cluster_profiles.ns.clear();
  manager.Add(Profile({"kueue-system", "gpu-east"}, "a"));
  manager.objects.clusters.list = {Naming("east", "gpu-east")};
  CHECK(manager.Now() == "east=https://a");
  const auto before = manager.Read().workers;
  CHECK(before[0].found == "MultiKueueCluster east");
  CHECK(before[0].source == "ClusterProfile kueue-system/gpu-east");

  SECTION("that is gone") {
    manager.objects.profiles["kueue-system"].list.clear();
    CHECK(manager.Now(before) ==
          "east=ClusterProfile kueue-system/gpu-east: does not exist (create it in Kueue's "
          "namespace (workersFrom.secretNamespace), or name another one in "
          "spec.clusterSource.clusterProfileRef)");
  }
  SECTION("that may not be read") {
    manager.objects.profiles["kueue-system"] = {{}, "not allowed"};
    CHECK_THAT(manager.Now(), ContainsSubstring("gpu-east: cannot be read: not allowed (is the "));
    CHECK(manager.Now(before) == "east=https://a");
    CHECK(manager.Read().unknown.empty());
    manager.objects.clusters.list = {Naming("east", "another")};
    CHECK_THAT(manager.Now(before), ContainsSubstring("another: cannot be read"));
  }
  SECTION("and no plugin is configured") {
    manager.settings.access_providers.clear();
    manager.objects.profiles.clear();
    CHECK_THAT(manager.Now(), ContainsSubstring("gpu-east: no access provider is configured"));
  }
}

TEST_CASE("a ClusterProfile that a MultiKueueCluster names is one worker, under that name") {
  Manager manager;
  manager.NameThem();
  manager.settings.cluster_profiles.ns = "kueue-system";
  manager.Add(Profile({"kueue-system", "gpu-east"}, "a"));
  manager.Add(Profile({"kueue-system", "gpu-west"}, "b"));
  manager.objects.clusters.list = {Naming("east", "gpu-east")};
  CHECK(manager.Now() == "east=https://a gpu-west=https://b");

  SECTION("a profile of the same name in another namespace is another cluster") {
    manager.settings.cluster_profiles.ns = "fleet";
    manager.Add(Profile({"fleet", "gpu-east"}, "c"));
    CHECK(manager.Now() == "east=https://a gpu-east=https://c");
  }
  SECTION("which name it has is not known before the MultiKueueClusters are") {
    manager.objects.clusters = {{}, "not allowed"};
    CHECK(manager.Now().empty());
    CHECK(manager.Read().unknown == "not allowed");
  }
}

TEST_CASE("ClusterProfiles that may not be listed hide no MultiKueueCluster, and are told of") {
  Manager manager;
  manager.NameThem();
  manager.Add(Profile({"kueue-system", "gpu-east"}, "a"));
  manager.objects.clusters.list = {Naming("east", "gpu-east")};
  manager.objects.profiles["fleet"] = {{}, "not allowed"};
  CHECK(manager.Now() == "east=https://a");
  CHECK(manager.Read().unknown == "not allowed");
}

}  // namespace fedra::discovery::cluster_profile_source_test
