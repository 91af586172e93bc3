// Workers that MultiKueueClusters of a simulated manager name come, go and change.

#include "manager/discovery/worker_discovery.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "cluster-clients/threads.h"
#include "manager/wiring.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/deaf_listener.h"

namespace fedra::discovery::worker_discovery_test {

using nlohmann::json;

namespace {

std::string Kubeconfig(const std::string& token) {
  return fmt::format(
      "current-context: m\ncontexts: [{{name: m, context: {{cluster: c, user: u}}}}]\n"
      "clusters: [{{name: c, cluster: {{server: \"https://east\"}}}}]\n"
      "users: [{{name: u, user: {{token: {}}}}}]\n",
      token);
}

struct Fixture {
  sim::Server server{{}};
  Threads threads{2};
  std::unique_ptr<reconcile::ManagerCluster> manager;
  config::WorkersFrom settings{.multi_kueue_clusters = true};
  std::vector<std::string> remembered;
  std::unique_ptr<WorkerDiscovery> discovery;

  Fixture() {
    REQUIRE(server.objects().Create(
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kueue-system"}}}}));
  }
  ~Fixture() { Stop(); }
  void Start() {
    ClusterOptions options;
    options.discover_groups = {"kueue.x-k8s.io", "resource.k8s.io"};
    manager = std::make_unique<reconcile::ManagerCluster>(
        ClusterSettings{ClusterName("manager"), AccessTo(server), {}, options},
        tracking::BuiltInKinds(), threads.loop, threads.pool, SystemClock(),
        reconcile::DeafListener());
    manager->DiscoverWorkers(ToDiscovery(settings));
    manager->Start();
    discovery =
        std::make_unique<WorkerDiscovery>(settings, *manager, [this] { return remembered; });
    discovery->Start();
  }
  void Stop() {
    if (manager != nullptr) manager->Stop();
    discovery.reset();
    manager.reset();
  }

  void AddCluster(const std::string& name, const std::string& secret) {
    REQUIRE(server.objects().Create(
        {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
         {"kind", "MultiKueueCluster"},
         {"metadata", {{"name", name}}},
         {"spec", {{"clusterSource", {{"kubeConfig", {{"location", secret}}}}}}}}));
  }
  void AddSecret(const std::string& name, const std::string& token) {
    REQUIRE(server.objects().Create({{"apiVersion", "v1"},
                                     {"kind", "Secret"},
                                     {"metadata", {{"namespace", "kueue-system"}, {"name", name}}},
                                     {"data", {{"kubeconfig", Base64Encode(Kubeconfig(token))}}}}));
  }
  // "east=token west=PROBLEM" of all that is known now; "?": nothing is.
  std::string Now() {
    (void)discovery->Update();
    if (!discovery->HasAnswered()) return "?";
    const config::Loaded loaded = discovery->Complete({});
    std::string text;
    for (size_t i = 0; i < loaded.workers.size(); ++i) {
      const config::ClusterAccess& access = loaded.workers[i];
      text += fmt::format("{}{}={}", i == 0 ? "" : " ", loaded.configuration.workers[i].name,
                          access ? access->exec ? access->server : access->token
                                 : access.error().problems.front().problem);
    }
    return text;
  }
  void AwaitNow(const std::string& wanted) {
    std::string last;
    const bool seen = WaitUntil([&] { return (last = Now()) == wanted; });
    CAPTURE(wanted, last);
    CHECK(seen);
  }
  void Forbid(const std::string& path) {
    sim::Faults faults;
    faults.answers.push_back({.path_contains = path, .code = 403});
    server.SetFaults(faults);
  }
};

}  // namespace

TEST_CASE("workers come, change and go with their MultiKueueClusters and Secrets") {
  Fixture f;
  f.Start();
  f.AwaitNow("");
  CHECK(f.discovery->HasAnswered());
  f.AddCluster("east", "first");
  f.AwaitNow("east=does not exist");
  f.AddSecret("first", "one");
  f.AwaitNow("east=one");
  CHECK_FALSE(f.discovery->Update());
  f.AddSecret("second", "two");
  REQUIRE(f.server.objects().Patch(
      "multikueueclusters", {"", "east"},
      {{"spec", {{"clusterSource", {{"kubeConfig", {{"location", "second"}}}}}}}}));
  f.AwaitNow("east=two");
  REQUIRE(f.server.objects().Delete("multikueueclusters", {"", "east"}));
  f.AwaitNow("");
  // Each Secret was asked for by its name.
  const auto requests = f.server.RequestCounts();
  CHECK(requests.count("get secrets") == 1);
  CHECK(requests.count("list secrets") == 0);
  CHECK(requests.count("watch secrets") == 0);
}

TEST_CASE("workers stay while their list is refused, those of the last run too") {
  Fixture f;
  f.AddCluster("east", "first");
  f.AddSecret("first", "one");
  f.remembered = {"west"};
  SECTION("from the beginning") {
    f.Forbid("/multikueueclusters");
    f.Start();
    f.AwaitNow("west=is not known: not allowed to list or watch multikueueclusters (403)");
    f.server.SetFaults({});
    f.AwaitNow("east=one");
  }
  SECTION("from the beginning, and the last run is not known") {
    f.remembered.clear();
    f.Forbid("/multikueueclusters");
    f.Start();
    CHECK(WaitUntil([&] { return !f.manager->lists().Gaps().empty(); }));
    CHECK_FALSE(HappensWithin([&] { return f.discovery->Update(); }, std::chrono::seconds(1)));
    CHECK_FALSE(f.discovery->HasAnswered());
    f.server.SetFaults({});
    f.AwaitNow("east=one");
  }
  SECTION("served no more") {
    sim::Faults faults;
    faults.not_served.insert("kueue.x-k8s.io/v1beta2");
    f.server.SetFaults(faults);
    f.Start();
    f.AwaitNow("west=is not known: the API server does not serve multikueueclusters");
    const auto gaps = f.manager->lists().Gaps();
    REQUIRE_FALSE(gaps.empty());
    CHECK(gaps.back().resource == "multikueueclusters.kueue.x-k8s.io");
  }
  SECTION("later") {
    f.Start();
    f.AwaitNow("east=one");
    f.Forbid("/multikueueclusters");
    f.server.DropConnections();
    CHECK(WaitUntil([&] { return !f.manager->lists().Gaps().empty(); }));
    CHECK_FALSE(f.discovery->Update());
    CHECK(f.Now() == "east=one");
  }
}

TEST_CASE("workers come, change and go with their ClusterProfiles") {
  Fixture f;
  f.settings.multi_kueue_clusters = false;
  f.settings.cluster_profiles = {.ns = "fleet", .selector = "gpu"};
  config::AccessProvider& provider = f.settings.access_providers.emplace_back();
  provider.name = "fleet";
  provider.exec.command = "fleet-token";
  REQUIRE(f.server.objects().Create(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "fleet"}}}}));
  const auto offer = [](const std::string& host) {
    const json entry = {{"name", "fleet"}, {"cluster", {{"server", host}}}};
    return json{{"accessProviders", json::array({entry})}};
  };
  f.Start();
  f.AwaitNow("");
  REQUIRE(f.server.objects().Create(
      {{"apiVersion", "multicluster.x-k8s.io/v1alpha1"},
       {"kind", "ClusterProfile"},
       {"metadata", {{"namespace", "fleet"}, {"name", "east"}, {"labels", {{"gpu", "h100"}}}}},
       {"spec", {{"clusterManager", {{"name", "acme"}}}}},
       {"status", offer("https://one")}}));
  f.AwaitNow("east=https://one");
  const ObjectKey east{"fleet", "east"};
  REQUIRE(f.server.objects().Patch("clusterprofiles", east, {{"status", offer("https://two")}},
                                   "status"));
  f.AwaitNow("east=https://two");
  REQUIRE(f.server.objects().Patch("clusterprofiles", east,
                                   {{"metadata", {{"labels", {{"gpu", nullptr}}}}}}));
  f.AwaitNow("");
  REQUIRE(f.server.objects().Patch("clusterprofiles", east,
                                   {{"metadata", {{"labels", {{"gpu", "h200"}}}}}}));
  f.AwaitNow("east=https://two");
  REQUIRE(f.server.objects().Delete("clusterprofiles", east));
  f.AwaitNow("");
}

TEST_CASE("what may not be listed of one kind hides no worker of the other") {
  Fixture f;
  f.settings.cluster_profiles.ns = "fleet";
  f.settings.access_providers.emplace_back().name = "fleet";
  f.AddCluster("east", "first");
  f.AddSecret("first", "one");
  f.remembered = {"east", "west"};
  f.Forbid("/namespaces/fleet/clusterprofiles");
  f.Start();
  f.AwaitNow(
      "east=one west=is not known: not allowed to list or watch "
      "clusterprofiles.multicluster.x-k8s.io in fleet (403)");
  f.server.SetFaults({});
  f.AwaitNow("east=one");
}

TEST_CASE("nothing is known of workers before the manager has answered") {
  Fixture f;
  f.AddCluster("east", "first");
  f.AddSecret("first", "one");
  sim::Faults faults;
  faults.refuse = true;
  f.server.SetFaults(faults);
  f.remembered = {"west"};
  f.Start();
  CHECK_FALSE(HappensWithin([&] { return f.Now() != "?"; }, std::chrono::seconds(1)));
  f.server.SetFaults({});
  f.AwaitNow("east=one");
}

}  // namespace fedra::discovery::worker_discovery_test
