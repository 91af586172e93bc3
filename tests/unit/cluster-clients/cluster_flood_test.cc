// A server that sends more than any real one has costs a bounded amount of memory and of time.

#include <algorithm>
#include <memory>
#include <vector>

#include "cluster-clients/cluster.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/cluster-clients/support/harness.h"

namespace fedra::cluster_flood_test {
namespace {

using namespace std::chrono_literals;
using watch::CacheState;

sim::Faults Hostile(const std::string& answer, const std::string& path = "configmaps?limit") {
  sim::InjectedAnswer injected;
  injected.kind = sim::InjectedAnswer::Kind::kHostile;
  injected.path_contains = path;
  injected.hostile = answer;
  sim::Faults faults;
  faults.answers = {injected};
  return faults;
}

struct Fixture {
  explicit Fixture(sim::ServerOptions options = {}) : server(std::move(options)) {}

  sim::Server server;
  Threads threads{4};
  TestCache cache;  // must outlive the cluster's Stop()
  TestCluster cluster{threads, AccessTo(server)};

  WatchSpec Spec() { return {.resource = kConfigMaps, .bounds = {.objects = 1'000}}; }
  std::string WhyFailing() {
    if (!cache.WaitForState(CacheState::kFailing)) return "it does not fail";
    return cache->health().error->message;
  }
};

TEST_CASE("a list that is longer than any real one is not read on") {
  struct Row {
    const char* answer;
    const char* why;
  };
  const Row rows[] = {
      {"endless-list",
       "the list of configmaps has pages of more than the 10 objects that were asked for"},
      {"endless-pages", "the list of configmaps is longer than 1000 objects"},
      {"endless-field", "the list of configmaps is larger than 1 MiB"},
      {"huge-element", "the answer is not a Kubernetes list: an element is too large"},
      {"nested", "the answer is not a Kubernetes list: it is nested too deeply"},
  };
  for (const Row& row : rows) {
    INFO(row.answer);
    Fixture f;
    f.server.SetFaults(Hostile(row.answer, "configmaps?"));
    WatchSpec spec = f.Spec();
    if (row.answer == std::string("endless-field")) spec.bounds.bytes = 1 << 20;
    f.cluster->Watch(spec, *f.cache);
    CHECK_THAT(f.WhyFailing(), ContainsSubstring(row.why));
    CHECK(f.cache->size() == 0);
    CHECK(f.cache->held().objects == 0);  // what had arrived is gone
  }
}

TEST_CASE("headers without end are not read on") {
  const bool http2 = GENERATE(true, false);
  Fixture f({.http2 = http2});
  f.server.SetFaults(Hostile("endless-headers", "configmaps?"));
  f.cluster->Watch(f.Spec(), *f.cache);
  const std::string why = f.WhyFailing();
  // Over HTTP/2 libcurl 7.88 gives up first, at 128 KiB (DYN_H2_HEADERS), and the connection with
  // it.
  if (!http2) {
    CHECK_THAT(why, ContainsSubstring("the headers of the answer are larger than 262144 bytes"));
  }
  CHECK(why != "it does not fail");
  CHECK(f.cache->size() == 0);
  f.server.SetFaults({});
  CHECK(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
}

TEST_CASE("what is too long is not asked for again soon, and read when it is in order") {
  Fixture f;
  REQUIRE(f.server.objects().Create(ConfigMap("a", "1")));
  f.server.SetFaults(Hostile("endless-list"));
  f.cluster->Watch(f.Spec(), *f.cache);
  REQUIRE(f.cache.WaitForState(CacheState::kFailing));
  const auto lists = f.server.RequestCounts()["list configmaps"];
  CHECK_FALSE(HappensWithin([&] { return f.cache->health().state == CacheState::kSynced; }, 2s));
  CHECK(f.server.RequestCounts()["list configmaps"] == lists);
  f.server.SetFaults({});
  f.cluster->UpdateAccess(AccessTo(f.server));  // its administrator has mended it
  CHECK(f.cache.WaitForContent({"a=1"}));
}

TEST_CASE("events do not make a cache longer than a list may be") {
  Fixture f;
  REQUIRE(f.server.objects().Create(ConfigMap("a", "1")));
  f.server.SetFaults(Hostile("event-flood", "watch=true"));
  f.cluster->Watch(f.Spec(), *f.cache);
  CHECK_THAT(f.WhyFailing(), ContainsSubstring("is longer than 1000 objects"));
  CHECK(f.cache->size() <= 1'100);
}

TEST_CASE("a list of as much as a large cluster has is read") {
  Fixture f;
  for (int i = 0; i < 900; ++i)
    REQUIRE(f.server.objects().Create(ConfigMap("cm-" + std::to_string(i), "x")));
  f.cluster->Watch(f.Spec(), *f.cache);
  REQUIRE(f.cache.WaitForState(CacheState::kSynced));
  CHECK(f.cache->size() == 900);
  CHECK(f.cache->held().bytes > 900 * 50);
}

// The median of the times that changes of one cluster take to be seen.
std::chrono::milliseconds Latency(Fixture& f) {
  std::vector<std::chrono::milliseconds> times;
  for (int i = 0; i < 15; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string name = "n-" + std::to_string(i);
    REQUIRE(f.server.objects().Create(ConfigMap(name, "1")));
    REQUIRE(f.cache.WaitForHeard(name + ":->1"));
    times.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

TEST_CASE("a cluster that floods every watch does not delay the others") {
  sim::Server liar;
  std::vector<std::unique_ptr<TestCache>> flooded;
  Fixture f;
  f.cluster->Watch({kConfigMaps}, *f.cache);
  REQUIRE(f.cache.WaitForState(CacheState::kSynced));
  TestCluster lying(f.threads, AccessTo(liar), QuickOptions(), "liar");
  liar.SetFaults(Hostile("event-storm", "watch=true"));
  for (int i = 0; i < 8; ++i) {
    flooded.push_back(std::make_unique<TestCache>());
    lying->Watch({kConfigMaps}, **flooded.back());
  }
  for (const auto& cache : flooded) REQUIRE(cache->WaitForState(CacheState::kSynced));
  CHECK(Latency(f) < Stretched(1s));
  lying->Stop();
}

}  // namespace
}  // namespace fedra::cluster_flood_test
