#include "manager/discovery/discovered_access.h"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "config/foreign_kubeconfig.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::discovery::discovered_access_test {

using nlohmann::json;
using tracking::MultiKueueCluster;
using Source = MultiKueueCluster::Source;

namespace {

std::string Kubeconfig(const std::string& host) {
  return fmt::format(
      "current-context: m\ncontexts: [{{name: m, context: {{cluster: c, user: u}}}}]\n"
      "clusters: [{{name: c, cluster: {{server: \"https://{}\"}}}}]\n"
      "users: [{{name: u, user: {{token: hidden}}}}]\n",
      host);
}

std::string SecretOf(const std::string& kubeconfig) {
  return json{{"data", {{"kubeconfig", Base64Encode(kubeconfig)}}}}.dump();
}

std::shared_ptr<const MultiKueueCluster> Cluster(const std::string& name, Source source,
                                                 const std::string& location, int age = 0) {
  MultiKueueCluster cluster;
  cluster.name = name;
  cluster.source = source;
  cluster.location = location;
  cluster.created -= std::chrono::seconds(age);
  return std::make_shared<const MultiKueueCluster>(cluster);
}

struct Manager {
  config::WorkersFrom settings;
  std::map<std::string, Result<std::string>> secrets;
  std::vector<std::string> asked = {};

  std::vector<config::DiscoveredWorker> Read(
      std::vector<std::shared_ptr<const MultiKueueCluster>> clusters,
      const std::vector<config::DiscoveredWorker>& before = {}) {
    const GetSecret get_secret = [this](const ObjectKey& key) -> Result<std::string> {
      asked.push_back(key.ToString());
      const auto found = secrets.find(key.name);
      if (found == secrets.end()) return Fail(ErrorCode::kNotFound, "not found");
      return found->second;
    };
    DiscoveryObjects objects;
    objects.clusters.list = std::move(clusters);
    return ReadDiscovered({.objects = objects,
                           .settings = settings,
                           .now = WallTime{},
                           .get_secret = get_secret,
                           .before = before})
        .workers;
  }
  // Of the one worker: its server, or why it cannot be used.
  std::string Outcome(const std::shared_ptr<const MultiKueueCluster>& cluster,
                      const std::vector<config::DiscoveredWorker>& before = {}) {
    const auto workers = Read({cluster}, before);
    REQUIRE(workers.size() == 1);
    const config::ClusterAccess& access = workers.front().access;
    return access ? access->server : config::ToString(access.error().problems);
  }
};

}  // namespace

TEST_CASE("each worker has the kubeconfig of its Secret, and no other Secret is read") {
  Manager manager;
  manager.settings.secret_namespace = "queues";
  manager.secrets.emplace("first", SecretOf(Kubeconfig("a")));
  manager.secrets.emplace("second", SecretOf(Kubeconfig("b")));
  manager.secrets.emplace("third", SecretOf(Kubeconfig("c")));
  const auto workers = manager.Read({Cluster("old", Source::kSecret, "first", 60),
                                     Cluster("b", Source::kSecret, "second", 5),
                                     Cluster("a", Source::kSecret, "second", 5)});
  REQUIRE(workers.size() == 3);
  CHECK(workers[0].name == "old");
  CHECK(workers[0].access->server == "https://a");
  CHECK(workers[0].access->token == "hidden");
  CHECK(workers[1].name == "a");
  CHECK(workers[2].name == "b");
  CHECK(manager.asked ==
        std::vector<std::string>{"queues/first", "queues/second", "queues/second"});
}

TEST_CASE("what is wrong with one MultiKueueCluster is said with what to do") {
  Manager manager;
  const auto secret = Cluster("gpu", Source::kSecret, "east");
  CHECK(manager.Outcome(secret) ==
        "Secret kueue-system/east: does not exist (create it with the worker's kubeconfig in the "
        "key kubeconfig)");
  manager.secrets.emplace("east", json{{"data", {{"config", "aGlkZGVu"}}}}.dump());
  CHECK(
      manager.Outcome(secret) ==
      "Secret kueue-system/east: has no key \"kubeconfig\" (put the worker's kubeconfig into that "
      "key)");
  manager.secrets.at("east") = json{{"data", {{"kubeconfig", "hidden!"}}}}.dump();
  CHECK(manager.Outcome(secret) == "Secret kueue-system/east: kubeconfig is not base64");
  manager.secrets.at("east") = std::string("hidden");
  CHECK(manager.Outcome(secret) == "Secret kueue-system/east: the answer is no object");
  manager.secrets.at("east") = SecretOf("token: [hidden");
  CHECK(manager.Outcome(secret).find("hidden") == std::string::npos);
  manager.secrets.at("east") = Fail(ErrorCode::kForbidden, "secrets east is forbidden");
  CHECK(manager.Outcome(secret) ==
        "Secret kueue-system/east: cannot be read: secrets east is forbidden (apply "
        "deploy/manager-rbac-discovery.yaml on the manager)");
  const std::string none =
      "MultiKueueCluster gpu: names neither a kubeconfig nor a ClusterProfile (write "
      "spec.clusterSource.kubeConfig.location, or spec.clusterSource.clusterProfileRef.name)";
  CHECK(manager.Outcome(Cluster("gpu", Source::kNone, "")) == none);
  CHECK(manager.Outcome(Cluster("gpu", Source::kSecret, "")) == none);
  CHECK(manager.Outcome(Cluster("gpu", Source::kClusterProfile, "")) == none);
}

TEST_CASE(
    "a Secret that cannot be read now leaves its worker as it was, one that is gone does not") {
  Manager manager;
  const auto cluster = Cluster("gpu", Source::kSecret, "east");
  manager.secrets.emplace("east", SecretOf(Kubeconfig("a")));
  const auto before = manager.Read({cluster});
  for (const ErrorCode code :
       {ErrorCode::kForbidden, ErrorCode::kTimeout, ErrorCode::kUnavailable}) {
    manager.secrets.at("east") = Fail(code, "no");
    CHECK(manager.Outcome(cluster, before) == "https://a");
  }
  // The worker was pointed to another one: the first may be what it was to get away from.
  manager.secrets.insert_or_assign("new", Result<std::string>(Fail(ErrorCode::kForbidden, "no")));
  CHECK_THAT(manager.Outcome(Cluster("gpu", Source::kSecret, "new"), before),
             ContainsSubstring("cannot be read"));
  manager.secrets.at("east") = Fail(ErrorCode::kNotFound, "no");
  CHECK(manager.Outcome(cluster, before).find("does not exist") != std::string::npos);
}

TEST_CASE("a file is read where it may be") {
  const TempFolder folder;
  Manager manager;
  manager.settings.kubeconfig_folder = folder.Path("");
  folder.Write("east", Kubeconfig("a"));
  CHECK(manager.Outcome(Cluster("gpu", Source::kPath, folder.Path("east"))) == "https://a");
  CHECK(manager.Outcome(Cluster("gpu", Source::kPath, "/etc/shadow")).find("is not below") !=
        std::string::npos);
  CHECK(manager.asked.empty());
}

}  // namespace fedra::discovery::discovered_access_test
