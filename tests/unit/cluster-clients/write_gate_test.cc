// The gate under every write: what it does not let through never reaches the server.

#include "cluster-clients/http/write_gate.h"

#include <atomic>
#include <memory>
#include <vector>

#include "cluster-clients/cluster.h"
#include "cluster-clients/http/client.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/kube/verbs.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/cluster-clients/support/harness.h"

namespace fedra::write_gate_test {
namespace {

using namespace std::chrono_literals;

class TestGate final : public http::WriteGate {
 public:
  std::optional<Permit> Ask() const override {
    ++asked;
    if (!open) return std::nullopt;
    return Permit{left, server};
  }
  mutable std::atomic<int> asked = 0;
  std::atomic<bool> open = true;
  std::atomic<std::chrono::milliseconds> left{10s};
  std::atomic<std::chrono::milliseconds> server{0ms};
};

struct GateFixture {
  sim::Server server;
  std::shared_ptr<TestGate> gate = std::make_shared<TestGate>();
  Threads threads{4};
  TestCache cache;  // must outlive the cluster's Stop()
  TestCluster cluster{threads, AccessTo(server), Gated()};

  GateFixture() { REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected)); }

  ClusterOptions Gated() const {
    ClusterOptions options = QuickOptions();
    options.gate = gate;
    return options;
  }
  // What has reached the server and is no reading, the question for rights apart.
  size_t Writes() const {
    size_t writes = 0;
    for (const auto& [request, count] : server.RequestCounts()) {
      const bool reads = request.starts_with("get ") || request.starts_with("list ") ||
                         request.starts_with("watch ") ||
                         request.find("accessreviews") != std::string::npos;
      if (!reads) writes += count;
    }
    return writes;
  }
};

const ObjectKey kKey{"default", "a"};

// Everything of Cluster that changes something.
std::vector<Error> WriteAll(Cluster& cluster) {
  std::vector<Error> errors;
  const auto note = [&](const auto& result) {
    errors.push_back(result ? Error{} : result.error());
  };
  const std::string body = ConfigMap("a", "2").dump();
  note(cluster.Create(kConfigMaps, "default", body));
  note(cluster.MergePatch(kConfigMaps, kKey, R"({"data":{"value":"3"}})"));
  note(cluster.Apply(kConfigMaps, kKey, body, {.force = true}));
  note(cluster.Delete(kConfigMaps, kKey));
  return errors;
}

TEST_CASE("a closed gate lets no write through, and everything that only reads") {
  GateFixture f;
  REQUIRE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  REQUIRE(f.Writes() == 1);
  f.gate->open = false;
  for (const Error& error : WriteAll(*f.cluster)) {
    CHECK(error.code == ErrorCode::kCancelled);
    CHECK_THAT(error.message, ContainsSubstring("may not write now"));
  }
  CHECK(f.Writes() == 1);
  CHECK(f.cluster->Get(kConfigMaps, kKey));
  CHECK(f.cluster->MayI("create", kConfigMaps, "default").value());
  f.cluster->Watch({kConfigMaps}, *f.cache);
  CHECK(f.cache.WaitForContent({"a=1"}));
  CHECK(f.cluster->state().phase == ConnectionPhase::kConnected);  // it is not the server's fault
  f.gate->open = true;
  CHECK(f.cluster->Delete(kConfigMaps, kKey));
}

TEST_CASE("the gate is asked for every single write") {
  GateFixture f;
  for (const Error& error : WriteAll(*f.cluster)) CHECK(error.message.empty());
  CHECK(f.gate->asked == 4);
  CHECK(f.Writes() == 4);
}

TEST_CASE("a write takes no longer than the gate allows") {
  GateFixture f;
  f.gate->left = 300ms;
  sim::Faults faults;
  faults.hang = true;
  f.server.SetFaults(faults);
  const auto begin = std::chrono::steady_clock::now();
  const auto created = f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump());
  const auto took = std::chrono::steady_clock::now() - begin;
  REQUIRE_FALSE(created);
  CHECK(created.error().code == ErrorCode::kTimeout);
  CHECK(took < 2s);  // without it: the call's 3 s
}

TEST_CASE("a gate with no time left is closed") {
  GateFixture f;
  f.gate->left = 0ms;
  CHECK(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()).error().code ==
        ErrorCode::kCancelled);
  CHECK(f.Writes() == 0);
}

// A client by itself, so that a test knows when what was asked of it has begun.
struct ClientFixture {
  explicit ClientFixture(sim::ServerOptions options = {}) : server(std::move(options)) {}

  sim::Server server;
  std::shared_ptr<TestGate> gate = std::make_shared<TestGate>();
  Guarded<std::vector<http::Reply>> replies;  // to writes
  http::HttpLoop loop;

  http::Endpoint To(const sim::Server& to) const {
    http::Endpoint endpoint;
    endpoint.url = to.Address();
    endpoint.ca_pem = to.CaPem();
    endpoint.gate = gate;
    return endpoint;
  }
  static http::Request Read() {
    http::Request request = kube::Get(kConfigMaps, kKey).request;
    request.authorization = "Bearer admin-token";
    return request;
  }
  static http::Request Watch() {
    http::Request request = kube::OpenWatch(kConfigMaps, {}, ResourceVersion("1"), 60s);
    request.authorization = "Bearer admin-token";
    return request;
  }
  void Write(http::Client& client) {
    http::Request request =
        kube::Create(kConfigMaps, "default", "", ConfigMap("a", "1").dump(), {}).request;
    request.authorization = "Bearer admin-token";
    client.Send(std::move(request), [this](http::Reply reply) {
      replies.With([&](auto& all) { all.push_back(std::move(reply)); });
      replies.Notify();
    });
    loop.Flush();  // it waits, or it is under way
  }
  bool WasRefused() {
    const auto replied = [](const auto& all) { return !all.empty(); };
    return replies.WaitFor(10s, replied, [&](const auto& all) {
      REQUIRE(replied(all));
      const std::optional<Error>& failure = all.front().failure;
      INFO((failure ? failure->message : "it was answered"));
      CHECK(all.front().unsent);
      return failure && failure->code == ErrorCode::kCancelled &&
             failure->message.find("may not write now") != std::string::npos;
    });
  }
  bool HasArrived() { return server.objects().Get("configmaps", kKey).has_value(); }
};

// As many as may connect at the same time (ConnectLimiter), to a server that says nothing.
TEST_CASE("a write that waits for a connection is not sent when the gate has closed meanwhile") {
  ClientFixture f;
  sim::Server silent;
  sim::Faults faults;
  faults.hang = true;
  silent.SetFaults(faults);
  std::vector<std::unique_ptr<http::Client>> others;
  for (int i = 0; i < 50; ++i) {
    others.push_back(std::make_unique<http::Client>(f.loop, f.To(silent)));
    others.back()->Send(ClientFixture::Read(), [](const http::Reply&) {});
  }
  http::Client client(f.loop, f.To(f.server));
  f.Write(client);
  REQUIRE(f.replies.Copy().empty());
  CHECK(f.gate->asked == 0);
  f.gate->open = false;
  CHECK(f.WasRefused());
  CHECK(f.gate->asked == 1);
  CHECK_FALSE(f.HasArrived());
}

// What waits because reads hold all connections that HTTP/2 may have is begun again when the server
// turns out to speak HTTP/1.1 only.
TEST_CASE("a write that is begun again is not sent when the gate has closed meanwhile") {
  ClientFixture f({.http2 = false});
  constexpr int kHttp2Connections = 32;
  sim::Faults faults;
  faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kLatency,
                            .method = "GET",
                            .times = kHttp2Connections - 1,
                            .delay = 60s});
  faults.answers.push_back(
      {.kind = sim::InjectedAnswer::Kind::kLatency, .method = "GET", .delay = 3s});
  f.server.SetFaults(faults);
  http::Client client(f.loop, f.To(f.server));
  const auto arrives = [&](const char* request, size_t count) {
    return WaitUntil([&] { return f.server.RequestCounts()[request] == count; });
  };
  // One after the other: libcurl 8.14 lets all wait while one connects, and does not look again
  // when that one turns out to be HTTP/1.1 (MSTATE_CONNECTING in lib/multi.c).
  for (size_t i = 1; i < kHttp2Connections; ++i) {
    client.Send(ClientFixture::Read(), [](const http::Reply&) {});
    REQUIRE(arrives("get configmaps", i));
  }
  // Its answer, the first of all, tells the protocol. It does not end: what waits has no
  // connection.
  client.Stream(ClientFixture::Watch(), {.on_open = [](int) {},
                                         .on_data = [](std::string_view) {},
                                         .on_end = [](const http::Reply&) {}});
  REQUIRE(arrives("watch configmaps", 1));
  f.Write(client);
  REQUIRE(f.gate->asked == 1);
  REQUIRE(f.replies.Copy().empty());
  SECTION("and is when it is open") {
    const auto replied = [](const auto& all) { return !all.empty(); };
    const auto ok = [&](const auto& all) { return replied(all) && all.front().ok(); };
    CHECK(f.replies.WaitFor(10s, replied, ok));
    CHECK(f.gate->asked == 2);
    CHECK(f.HasArrived());
  }
  SECTION("which is said of it") {
    f.gate->open = false;
    CHECK(f.WasRefused());
    CHECK(f.gate->asked == 2);
    CHECK_FALSE(f.HasArrived());
  }
}

TEST_CASE("the server is asked to give up, too") {
  GateFixture f;
  f.gate->server = 1'500ms;
  CHECK(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  sim::Faults faults;
  sim::InjectedAnswer only_with_timeout;
  only_with_timeout.path_contains = "timeout=1500ms";
  only_with_timeout.code = 418;
  faults.answers.push_back(only_with_timeout);
  f.server.SetFaults(faults);
  CHECK(f.cluster->Delete(kConfigMaps, kKey).error().http == 418);
  CHECK(f.cluster->MergePatch(kConfigMaps, kKey, "{}").error().http == 418);
  CHECK(f.cluster->Get(kConfigMaps, kKey));
}

}  // namespace
}  // namespace fedra::write_gate_test
