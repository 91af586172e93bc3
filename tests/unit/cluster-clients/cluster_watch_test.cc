#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "cluster-clients/cluster.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/cluster-clients/support/harness.h"
#include "tests/unit/cluster-clients/support/socks_proxy.h"

namespace fedra::cluster_watch_test {
namespace {

using namespace std::chrono_literals;
using watch::CacheState;

struct Fixture {
  sim::Server server;
  Threads threads{4};
  TestCache cache;  // must outlive the cluster's Stop()
  TestCluster cluster{threads, AccessTo(server)};

  void Put(const std::string& name, const std::string& value) {
    if (server.objects().Patch("configmaps", {"default", name}, {{"data", {{"value", value}}}}))
      return;
    REQUIRE(server.objects().Create(ConfigMap(name, value)));
  }
  void Watch() {
    cluster->Watch({kConfigMaps}, *cache);
    REQUIRE(cache.WaitForState(CacheState::kSynced));
  }
  // The server is out of reach until its faults are taken back.
  void Lose() {
    sim::Faults faults;
    faults.refuse = true;
    server.SetFaults(faults);
    REQUIRE(cluster.WaitFor(ConnectionPhase::kUnreachable));
  }
};

TEST_CASE("a cache follows its server") {
  Fixture f;
  f.Put("a", "1");
  f.Watch();
  CHECK(f.cache.Content() == std::set<std::string>{"a=1"});
  CHECK(f.cache->health().complete);
  f.Put("b", "1");
  f.Put("a", "2");
  REQUIRE(f.server.objects().Delete("configmaps", {"default", "b"}));
  CHECK(f.cache.Heard(4) == std::vector<std::string>{"a:->1", "b:->1", "a:1>2", "b:1>-"});
}

TEST_CASE("what is read of a server is told: bytes of lists and answers, events of watches") {
  sim::Server server;
  REQUIRE(server.objects().Create(ConfigMap("a", "1")));
  Threads threads{4};
  std::atomic<size_t> bytes = 0, events = 0, others = 0;
  ClusterOptions options = QuickOptions();
  options.on_read = [&](const ClusterName& name, const watch::ReadVolume& read) {
    others += name == ClusterName("gpu-east") ? 0 : 1;
    bytes += read.bytes;
    events += read.events;
  };
  TestCache cache;
  TestCluster cluster{threads, AccessTo(server), options};
  REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected));
  cluster->Watch({kConfigMaps}, *cache);
  REQUIRE(cache.WaitForState(CacheState::kSynced));
  const size_t listed = bytes;
  CHECK(listed >= ConfigMap("a", "1").dump().size());
  CHECK(events == 0);
  REQUIRE(server.objects().Create(ConfigMap("b", std::string(5000, 'x'))));
  REQUIRE(server.objects().Delete("configmaps", {"default", "a"}));
  CHECK(WaitUntil([&] { return events == 2; }));
  const size_t watched = bytes;
  CHECK(watched >= listed + 5000);
  CHECK(watched < listed + 7000);
  const auto answer = cluster->Get(kConfigMaps, {"default", "b"});
  REQUIRE(answer);
  CHECK(bytes == watched + answer->size());
  CHECK(others == 0);
}

TEST_CASE("lists of many pages arrive in one step") {
  Fixture f;
  std::set<std::string> all;
  for (int i = 0; i < 57; ++i) {
    f.Put("cm-" + std::to_string(i), "x");
    all.insert("cm-" + std::to_string(i) + "=x");
  }
  f.Watch();
  CHECK(f.cache.Content() == all);
  CHECK(f.server.RequestCounts()["list configmaps"] == 6);
}

TEST_CASE("a watch that is cut is resumed, without a list and without a word") {
  Fixture f;
  f.Put("a", "1");
  f.Watch();
  const auto lists = f.server.RequestCounts()["list configmaps"];
  f.server.DropConnections();
  f.Put("a", "2");
  REQUIRE(f.cache.WaitForContent({"a=2"}, 2s));
  CHECK(f.server.RequestCounts()["list configmaps"] == lists);
  CHECK(f.cache.Heard(2) == std::vector<std::string>{"a:->1", "a:1>2"});
}

TEST_CASE("an expired version leads to a new list that tells only the differences") {
  Fixture f;
  f.Put("a", "1");
  f.Put("b", "1");
  f.Watch();
  f.Lose();
  REQUIRE(f.server.objects().Delete("configmaps", {"default", "b"}));
  f.Put("c", "1");
  f.server.ExpireHistory();
  f.server.SetFaults({});
  REQUIRE(f.cache.WaitForContent({"a=1", "c=1"}));
  const auto heard = f.cache.Heard(4);
  REQUIRE(heard.size() == 4);
  CHECK(std::set<std::string>(heard.begin() + 2, heard.end()) ==
        std::set<std::string>{"b:1>-", "c:->1"});
}

TEST_CASE("continue tokens that expire do not keep a list from ending") {
  Fixture f;
  std::set<std::string> all;
  for (int i = 0; i < 25; ++i) {
    f.Put("cm-" + std::to_string(i), "x");
    all.insert("cm-" + std::to_string(i) + "=x");
  }
  sim::Faults faults;
  faults.expire_continue = true;
  f.server.SetFaults(faults);
  f.cluster->Watch({kConfigMaps}, *f.cache);
  CHECK(f.cache.WaitForContent(all));
}

TEST_CASE("garbage in a watch loses nothing") {
  Fixture f;
  f.Put("a", "1");
  f.Watch();
  sim::Faults faults;
  faults.watch_garbage = true;
  f.server.SetFaults(faults);
  f.Put("a", "2");
  f.server.SetFaults({});
  f.Put("b", "1");
  CHECK(f.cache.WaitForContent({"a=2", "b=1"}));
}

TEST_CASE("a watch that ends after every event still delivers each once") {
  Fixture f;
  f.Watch();
  sim::Faults faults;
  faults.close_watch_after = 1;
  f.server.SetFaults(faults);
  for (int i = 1; i <= 3; ++i) {
    f.Put("a", std::to_string(i));
    REQUIRE(f.cache.WaitForContent({"a=" + std::to_string(i)}));
  }
  CHECK(f.cache.Heard(3) == std::vector<std::string>{"a:->1", "a:1>2", "a:2>3"});
}

// What a cache said of its health, and held, from the last word of its failing on.
std::vector<TestCache::ToldHealth> SinceFailing(const TestCache& cache) {
  auto told = cache.Healths();
  const auto last = std::find_if(told.rbegin(), told.rend(), [](const auto& one) {
    return one.health.state == CacheState::kFailing;
  });
  told.erase(told.begin(), last == told.rend() ? told.end() : last.base() - 1);
  return told;
}

TEST_CASE("after an outage a cache is Synced only when it has been listed") {
  Fixture f;
  f.Put("a", "1");
  f.Put("b", "1");
  f.Watch();
  f.Lose();
  REQUIRE(f.cache.WaitForState(CacheState::kFailing));
  REQUIRE(f.server.objects().Delete("configmaps", {"default", "b"}));
  f.server.SetFaults({});
  REQUIRE(f.cache.WaitForState(CacheState::kSynced));
  const auto told = SinceFailing(f.cache);
  REQUIRE(told.size() == 3);
  CHECK(told[1].health.state == CacheState::kSyncing);
  CHECK(told[1].content == std::set<std::string>{"a=1", "b=1"});
  CHECK(told[2].health.state == CacheState::kSynced);
  CHECK(told[2].content == std::set<std::string>{"a=1"});
  CHECK(f.server.RequestCounts()["list configmaps"] == 2);
}

// The versions of the first are far in the future of the second, which therefore would say nothing
// to a watch from them.
TEST_CASE("a kubeconfig that leads to another server: what is known of the first is forgotten") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.Put("a", std::to_string(i));
  f.Watch();
  sim::Server other;
  REQUIRE(other.objects().Create(ConfigMap("b", "1")));
  f.cluster->UpdateAccess(AccessTo(other));
  REQUIRE(f.cache.WaitForContent({"b=1"}));
  REQUIRE(f.cache.WaitForState(CacheState::kSynced));
  const auto told = SinceFailing(f.cache);
  REQUIRE(told.size() == 3);
  CHECK(told[0].health.error->message.find("another server") != std::string::npos);
  CHECK(told[1].health.state == CacheState::kSyncing);
  CHECK(told[2].health.state == CacheState::kSynced);
  CHECK(told[2].content == std::set<std::string>{"b=1"});
  REQUIRE(other.objects().Create(ConfigMap("c", "1")));
  CHECK(f.cache.WaitForContent({"b=1", "c=1"}));
  f.cluster->Stop();  // before the server that it talks to
}

uint16_t PortOf(const sim::Server& server) {
  const std::string address = server.Address();
  return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

// A cluster that was built anew behind the same name, and whose certificate is trusted, too: the
// settings are the same, the objects are others, and their versions are lower.
TEST_CASE("a server that changes its identity behind one URL: what is known of the first goes") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.Put("both", std::to_string(i));
  f.Put("first", "1");
  sim::Server second;
  REQUIRE(second.objects().Create(ConfigMap("both", "other")));
  REQUIRE(second.objects().Create(ConfigMap("second", "1")));
  SocksProxy proxy;
  kube::AccessSettings access = AccessTo(f.server);
  access.ca_pem += second.CaPem();
  access.proxy_url = proxy.Url();
  f.cluster->UpdateAccess(access);
  REQUIRE(f.cluster.WaitFor(ConnectionPhase::kConnected));
  f.Watch();
  CHECK(f.cache.Content() == std::set<std::string>{"both=99", "first=1"});

  f.Lose();
  proxy.LeadTo(PortOf(second));
  REQUIRE(f.cache.WaitForContent({"both=other", "second=1"}));
  REQUIRE(f.cache.WaitForState(CacheState::kSynced));
  const json changed = {{"data", {{"value", "changed"}}}};
  REQUIRE(second.objects().Patch("configmaps", {"default", "both"}, changed));
  CHECK(f.cache.WaitForContent({"both=changed", "second=1"}));
  f.cluster->Stop();  // before the server that it talks to
}

TEST_CASE("other credentials alone cost no list") {
  Fixture f;
  f.Put("a", "1");
  f.Watch();
  f.server.SetUser(sim::Administrator("other", "other-token"));
  f.cluster->UpdateAccess(AccessTo(f.server, "other-token"));
  f.Put("a", "2");
  CHECK(f.cache.WaitForContent({"a=2"}));
  CHECK(SinceFailing(f.cache).empty());
  CHECK(f.server.RequestCounts()["list configmaps"] == 1);
}

TEST_CASE("forbidden is told, and seen to be allowed later") {
  Fixture f;
  sim::User user;
  user.name = "reader";
  user.token = "reader-token";
  f.server.SetUser(user);
  f.cluster->UpdateAccess(AccessTo(f.server, "reader-token"));
  f.cluster->Watch({kConfigMaps}, *f.cache);
  REQUIRE(f.cache.WaitForState(CacheState::kForbidden));
  CHECK(f.cache->health().error->code == ErrorCode::kForbidden);
  CHECK(!f.cache->health().complete);
  user.allow = {{.verbs = {"list", "watch"}, .groups = {""}, .resources = {"configmaps"}}};
  f.server.SetUser(user);
  CHECK(f.cache.WaitForState(CacheState::kSynced));
}

TEST_CASE("content that becomes forbidden stays, with the reason") {
  Fixture f;
  sim::User user;
  user.name = "reader";
  user.token = "reader-token";
  user.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
  f.server.SetUser(user);
  f.cluster->UpdateAccess(AccessTo(f.server, "reader-token"));
  f.Put("a", "1");
  f.Watch();
  user.allow.clear();
  f.server.SetUser(user);
  f.server.DropConnections();
  REQUIRE(f.cache.WaitForState(CacheState::kForbidden));
  CHECK(f.cache.Content() == std::set<std::string>{"a=1"});
  CHECK(f.cache->health().complete);
  f.cluster->UpdateAccess(AccessTo(f.server));
  CHECK(f.cache.WaitForState(CacheState::kSynced));
}

TEST_CASE("a resource that is not served has no objects and says so") {
  sim::ServerOptions old;
  old.dra_versions = {};
  sim::Server server(old);
  Threads threads{4};
  TestCache cache;
  TestCluster cluster(threads, AccessTo(server));
  cluster->Watch({kTemplates}, *cache);
  REQUIRE(cache.WaitForState(CacheState::kNotServed));
  CHECK(cache->health().error->code == ErrorCode::kApiMissing);
  CHECK(!cluster->server()->Serves("resource.k8s.io", "v1"));
  CHECK(cluster->server()->Serves("batch", "v1"));
  cluster->Stop();
}

TEST_CASE("a cache can follow another version of its resource and keeps what it holds") {
  sim::ServerOptions both;
  both.dra_versions = {"v1", "v1beta1"};
  sim::Server server(both);
  const auto put = [&](const std::string& name) {
    REQUIRE(server.objects().Create({{"apiVersion", "resource.k8s.io/v1"},
                                     {"kind", "ResourceClaimTemplate"},
                                     {"metadata", {{"name", name}, {"namespace", "default"}}},
                                     {"spec", {{"spec", json::object()}}}}));
  };
  const auto lists = [&] { return server.RequestCounts()["list resourceclaimtemplates"]; };
  put("a");
  Threads threads{4};
  TestCache cache;
  TestCluster cluster(threads, AccessTo(server));
  REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected));
  kube::Resource older = kTemplates;
  older.version = "v1beta1";
  cluster->Watch({older}, *cache);
  REQUIRE(cache.WaitForContent({"a="}));
  REQUIRE(cache.WaitForState(CacheState::kSynced));
  cluster->Watch({older}, *cache);  // nothing new
  cluster->Watch({kTemplates}, *cache);
  put("b");
  REQUIRE(cache.WaitForContent({"a=", "b="}));
  CHECK(lists() == 2);

  sim::Faults upgraded;
  upgraded.not_served = {"resource.k8s.io/v1beta1"};
  server.SetFaults(upgraded);
  // Who still watched the older version would find it gone, and empty the cache.
  for (const std::string name : {"c", "d", "e"}) {
    server.DropConnections();
    put(name);
    CHECK(cache.WaitForHeard(name + ":->"));
  }
  CHECK(cache->health().state == CacheState::kSynced);
  CHECK(cache.Heard(5) == std::vector<std::string>{"a:->", "b:->", "c:->", "d:->", "e:->"});
  cluster->Stop();
}

bool Everything(const watch::CacheSink&) { return true; }

TEST_CASE("listed again, a cache holds what its watch has missed, and is in step only then") {
  Fixture f;
  f.Put("a", "1");
  f.Put("b", "1");
  f.Watch();
  sim::Faults faults;
  faults.lose_events = true;
  f.server.SetFaults(faults);
  f.Put("a", "2");
  REQUIRE(f.cache.Content() == std::set<std::string>{"a=1", "b=1"});

  const size_t told = f.cache.Healths().size();
  const std::weak_ptr<const void> begun = f.cluster->Relist(Everything);
  REQUIRE(WaitUntil([&] { return begun.expired(); }));
  REQUIRE(WaitUntil([&] { return f.cache->health().state == CacheState::kSynced; }));
  f.server.SetFaults({});
  CHECK(f.cache.Content() == std::set<std::string>{"a=2", "b=1"});
  // Out of step from before the list until after it; only what differs is told.
  const auto healths = f.cache.Healths();
  REQUIRE(healths.size() == told + 3);
  CHECK(healths[told].health.state == CacheState::kFailing);
  CHECK(healths[told + 1].health.state == CacheState::kSyncing);
  CHECK(healths[told + 2].health.state == CacheState::kSynced);
  const std::vector<std::string> heard = f.cache.Heard(3);
  REQUIRE(heard.size() == 3);
  CHECK(heard.back() == "a:1>2");
  f.cluster->Stop();
}

TEST_CASE("a cluster that is not connected needs not be asked to list again") {
  Fixture f;
  sim::Faults faults;
  faults.refuse = true;
  f.server.SetFaults(faults);
  REQUIRE(f.cluster.WaitFor(ConnectionPhase::kUnreachable));
  CHECK(f.cluster->Relist(Everything).expired());
  f.cluster->Stop();
}

TEST_CASE("what is not chosen is watched on: no list, no other health, and its events come") {
  Fixture f;
  const auto put = [&](const std::string& name) {
    REQUIRE(f.server.objects().Create({{"apiVersion", "resource.k8s.io/v1"},
                                       {"kind", "ResourceClaimTemplate"},
                                       {"metadata", {{"name", name}, {"namespace", "default"}}},
                                       {"spec", {{"spec", json::object()}}}}));
  };
  TestCache templates;
  put("a");
  f.Put("a", "1");
  f.Watch();
  f.cluster->Watch({kTemplates}, *templates);
  REQUIRE(templates.WaitForState(CacheState::kSynced));
  const size_t told = templates.Healths().size();
  const auto count = [&](const std::string& request) { return f.server.RequestCounts()[request]; };
  REQUIRE(WaitUntil([&] { return count("watch resourceclaimtemplates") == 1; }));

  const watch::CacheSink* const chosen = &*f.cache;
  const std::weak_ptr<const void> begun =
      f.cluster->Relist([&](const watch::CacheSink& sink) { return &sink == chosen; });
  REQUIRE(WaitUntil([&] { return begun.expired(); }));
  REQUIRE(WaitUntil([&] { return f.cache->health().state == CacheState::kSynced; }));
  put("b");
  CHECK(templates.WaitForContent({"a=", "b="}));
  CHECK(templates.Healths().size() == told);
  CHECK(count("list resourceclaimtemplates") == 1);
  CHECK(count("watch resourceclaimtemplates") == 1);
  CHECK(count("list configmaps") == 2);
  f.cluster->Stop();
}

TEST_CASE("an object that cannot be read does not stop the others") {
  Fixture f;
  json odd = ConfigMap("odd", "x");
  odd["data"] = json::object();
  REQUIRE(f.server.objects().Create(odd));
  f.Put("a", "1");
  f.Watch();
  CHECK(f.cache.Content() == std::set<std::string>{"a=1", "odd="});
}

}  // namespace
}  // namespace fedra::cluster_watch_test
