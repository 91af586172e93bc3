#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "cluster-clients/cluster.h"
#include "tests/support/catch.h"
#include "tests/support/slowness.h"
#include "tests/unit/cluster-clients/support/harness.h"

namespace fedra::cluster_calls_test {
namespace {

using namespace std::chrono_literals;
using Kind = sim::InjectedAnswer::Kind;

struct Fixture {
  sim::Server server;
  Threads threads{4};
  TestCluster cluster{threads, AccessTo(server)};

  explicit Fixture(sim::ServerOptions options = {}) : server(std::move(options)) {
    REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected));
  }

  void Inject(sim::InjectedAnswer answer) {
    sim::Faults faults;
    faults.answers.push_back(std::move(answer));
    server.SetFaults(faults);
  }
  ErrorCode GetCode(const std::string& name) {
    const auto result = cluster->Get(kConfigMaps, {"default", name});
    return result ? ErrorCode::kInternal : result.error().code;
  }
};

TEST_CASE("objects are created, read, changed and deleted") {
  Fixture f;
  const ObjectKey key{"default", "a"};
  const auto created = f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump());
  REQUIRE(created);
  const json first = json::parse(*created);
  CHECK(json::parse(f.cluster->Get(kConfigMaps, key).value())["data"]["value"] == "1");

  const auto patched = f.cluster->MergePatch(kConfigMaps, key, R"({"data":{"value":"2"}})");
  REQUIRE(patched);
  CHECK(json::parse(*patched)["data"]["value"] == "2");

  const json applied = {{"apiVersion", "v1"},
                        {"kind", "ConfigMap"},
                        {"metadata", {{"name", "a"}, {"namespace", "default"}}},
                        {"data", {{"more", "x"}}}};
  const auto after = f.cluster->Apply(kConfigMaps, key, applied.dump());
  REQUIRE(after);
  CHECK(json::parse(*after)["data"] == json({{"value", "2"}, {"more", "x"}}));

  DeleteOptions other;
  other.uid = "another";
  CHECK(f.cluster->Delete(kConfigMaps, key, other).error().code == ErrorCode::kConflict);
  DeleteOptions own;
  own.uid = first["metadata"]["uid"];
  CHECK(f.cluster->Delete(kConfigMaps, key, own));
  CHECK(f.GetCode("a") == ErrorCode::kNotFound);
}

TEST_CASE("refusals have codes, and messages that say where") {
  Fixture f;
  REQUIRE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  const auto taken = f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump());
  CHECK(taken.error().code == ErrorCode::kAlreadyExists);
  CHECK(taken.error().cluster == "gpu-east");
  CHECK_THAT(taken.error().message, ContainsSubstring("create configmaps default/a"));
  CHECK(ToString(taken.error()).starts_with("gpu-east: create configmaps default/a: "));
  const auto conflict =
      f.cluster->MergePatch(kConfigMaps, {"default", "a"},
                            R"({"metadata":{"resourceVersion":"1"},"data":{"value":"2"}})");
  CHECK(conflict.error().code == ErrorCode::kConflict);
  CHECK(f.GetCode("b") == ErrorCode::kNotFound);
  const kube::Resource missing{"example.com", "v1", "things", "Thing", true};
  CHECK(f.cluster->Get(missing, {"default", "a"}).error().code == ErrorCode::kApiMissing);
  CHECK(f.cluster->Create(kConfigMaps, "default", "{}").error().code == ErrorCode::kInvalid);
}

TEST_CASE("what is forbidden is not missing, and can be asked about") {
  Fixture f;
  sim::User user;
  user.name = "reader";
  user.token = "reader-token";
  user.groups = {"system:authenticated"};
  user.allow = {{.verbs = {"get"}, .groups = {""}, .resources = {"configmaps"}},
                {.verbs = {"create"},
                 .groups = {"authorization.k8s.io"},
                 .resources = {"selfsubjectaccessreviews"}}};
  f.server.SetUser(user);
  TestCluster reader(f.threads, AccessTo(f.server, "reader-token"));
  REQUIRE(reader.WaitFor(ConnectionPhase::kConnected));
  CHECK(reader->Get(kJobs, {"default", "a"}).error().code == ErrorCode::kForbidden);
  CHECK(reader->Get(kConfigMaps, {"default", "a"}).error().code == ErrorCode::kNotFound);
  CHECK(reader->MayI("get", kConfigMaps, "default") == true);
  CHECK(reader->MayI("list", kConfigMaps) == false);
  // One forbidden call is no outage.
  CHECK(reader->state().phase == ConnectionPhase::kConnected);
}

TEST_CASE("the server's wish to wait is kept, and then the call succeeds") {
  Fixture f;
  f.Inject(
      {.kind = Kind::kStatus, .method = "POST", .times = 1, .code = 429, .retry_after_seconds = 1});
  const auto before = std::chrono::steady_clock::now();
  CHECK(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  CHECK(std::chrono::steady_clock::now() - before >= 1s);
}

TEST_CASE("an absurd wish to wait ends the call at once, and is bounded") {
  const int code = GENERATE(429, 503);
  Fixture f;
  f.Inject({.kind = Kind::kStatus,
            .method = "POST",
            .code = code,
            .retry_after_seconds = 1'000'000'000});
  const auto before = std::chrono::steady_clock::now();
  const auto created = f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump());
  CHECK(std::chrono::steady_clock::now() - before < 5s);
  REQUIRE_FALSE(created);
  REQUIRE(created.error().retry_after);
  CHECK(*created.error().retry_after <= 1h);
}

// Listens, and counts who comes: whatever token they had would be theirs to give away.
class Elsewhere {
 public:
  Elsewhere() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(socket_, 8) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~Elsewhere() { ::close(socket_); }

  int port() const { return port_; }
  bool HasCaller(int milliseconds) const {
    pollfd watched{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&watched, 1, milliseconds) > 0;
  }

 private:
  int socket_;
  int port_ = 0;
};

TEST_CASE("a redirect is an error, and nothing is sent to where it points") {
  const int code = GENERATE(301, 302, 307, 308);
  const Elsewhere elsewhere;
  Fixture f;
  f.Inject({.kind = Kind::kHtml,
            .path_contains = "configmaps",
            .code = code,
            .location = "https://127.0.0.1:" + std::to_string(elsewhere.port()) + "/stolen"});
  CHECK(f.GetCode("a") == ErrorCode::kBadResponse);
  CHECK_FALSE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  CHECK_FALSE(elsewhere.HasCaller(200));
}

TEST_CASE("a create is not repeated when it may have been done") {
  Fixture f;
  f.Inject({.kind = Kind::kStatus, .method = "POST", .times = 1, .code = 500});
  CHECK(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()).error().code ==
        ErrorCode::kUnavailable);
  CHECK(f.GetCode("a") == ErrorCode::kNotFound);
}

TEST_CASE("bad answers are errors of one call, and gets are repeated") {
  const sim::InjectedAnswer answers[] = {
      {.kind = Kind::kStatus, .code = 500}, {.kind = Kind::kHtml, .code = 502},
      {.kind = Kind::kHtml, .code = 200},   {.kind = Kind::kTruncatedJson},
      {.kind = Kind::kCutConnection},
  };
  Fixture f;
  REQUIRE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  for (sim::InjectedAnswer answer : answers) {
    answer.path_contains = "configmaps";
    INFO(static_cast<int>(answer.kind) << " " << answer.code);
    answer.times = 1;
    f.Inject(answer);
    CHECK(f.cluster->Get(kConfigMaps, {"default", "a"}));
    answer.times = -1;
    f.Inject(answer);
    const auto result = f.cluster->Get(kConfigMaps, {"default", "a"});
    REQUIRE(!result);
    CHECK(IsRetryable(result.error().code));
    CHECK(result.error().message.find("<html") == std::string::npos);
    f.server.SetFaults({});
  }
  CHECK(f.cluster.History() == std::vector<ConnectionPhase>{ConnectionPhase::kConnected});
}

TEST_CASE("an answer above the bound is refused") {
  sim::Server server;
  Threads threads{4};
  ClusterOptions options = QuickOptions();
  options.max_response_bytes = 10'000;
  TestCluster cluster(threads, AccessTo(server), options);
  REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected));
  REQUIRE(server.objects().Create(ConfigMap("big", std::string(20'000, 'x'))));
  CHECK(cluster->Get(kConfigMaps, {"default", "big"}).error().code == ErrorCode::kTooLarge);
}

TEST_CASE("a call that is not answered ends at its deadline") {
  Fixture f;
  f.Inject({.kind = Kind::kHang, .path_contains = "configmaps"});
  const auto before = std::chrono::steady_clock::now();
  CHECK(f.GetCode("a") == ErrorCode::kTimeout);
  const auto took = std::chrono::steady_clock::now() - before;
  CHECK(took >= 3s);
  CHECK(took < Stretched(5s));
  CHECK(f.cluster->state().phase == ConnectionPhase::kConnected);
}

TEST_CASE("watches do not starve calls on a server that speaks only HTTP/1.1") {
  std::vector<std::unique_ptr<TestCache>> caches;  // must outlive the cluster's Stop()
  Fixture f({.http2 = false});
  for (int i = 0; i < 20; ++i) {
    caches.push_back(std::make_unique<TestCache>());
    f.cluster->Watch({kConfigMaps}, **caches.back());
  }
  for (const auto& cache : caches) REQUIRE(cache->WaitForState(watch::CacheState::kSynced));
  REQUIRE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  for (const auto& cache : caches) CHECK(cache->WaitForContent({"a=1"}));
  f.cluster->Stop();
}

TEST_CASE("calls use the connections of earlier calls, however many are under way beside watches") {
  constexpr int kWatches = 20;
  constexpr int kCallers = 60;
  const bool http2 = GENERATE(true, false);
  std::vector<std::unique_ptr<TestCache>> caches;  // must outlive the cluster's Stop()
  Fixture f({.http2 = http2});
  for (int i = 0; i < kWatches; ++i) {
    caches.push_back(std::make_unique<TestCache>());
    f.cluster->Watch({kConfigMaps}, **caches.back());
  }
  for (const auto& cache : caches) REQUIRE(cache->WaitForState(watch::CacheState::kSynced));
  REQUIRE(f.cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));

  std::atomic<int> answered = 0;
  std::vector<std::jthread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 10; ++call)
        if (f.cluster->Get(kConfigMaps, {"default", "a"})) ++answered;
    });
  }
  callers.clear();
  CHECK(answered == kCallers * 10);
  if (http2) {
    CHECK(f.server.ConnectionCount() == 1);
  } else {
    CHECK(f.server.ConnectionCount() <= kWatches + kCallers + 10);  // discovery, health
  }
  f.cluster->Stop();
}

TEST_CASE("stopping ends calls that are under way") {
  Guarded<std::optional<ErrorCode>> ended;
  Fixture f;
  f.Inject({.kind = Kind::kHang, .path_contains = "configmaps", .times = 1});
  f.threads.pool.Submit([&] {
    const ErrorCode code = f.GetCode("a");
    ended.With([&](auto& value) { value = code; });
    ended.Notify();
  });
  while (f.server.faults().answers[0].times > 0) std::this_thread::yield();  // not yet arrived
  f.cluster->Stop();
  CHECK(ended.WaitFor(
            2s, [](const auto& value) { return value.has_value(); },
            [](auto& value) { return value; }) == ErrorCode::kCancelled);
  CHECK(f.GetCode("a") == ErrorCode::kCancelled);
}

TEST_CASE("stopping ends calls that wait for their next attempt") {
  Guarded<std::optional<ErrorCode>> ended;
  sim::Server server;
  Threads threads{4};
  ClusterOptions patient = QuickOptions();
  patient.call_timeout = 60s;
  TestCluster cluster(threads, AccessTo(server), patient);
  REQUIRE(cluster.WaitFor(ConnectionPhase::kConnected));
  sim::Faults faults;
  faults.answers = {{.kind = Kind::kStatus,
                     .path_contains = "configmaps",
                     .times = 1,
                     .code = 429,
                     .retry_after_seconds = 30}};
  server.SetFaults(faults);
  threads.pool.Submit([&] {
    const auto got = cluster->Get(kConfigMaps, {"default", "a"});
    ended.With([&](auto& value) { value = got ? ErrorCode::kInternal : got.error().code; });
    ended.Notify();
  });
  while (server.faults().answers[0].times > 0) std::this_thread::yield();  // not yet answered
  cluster->Stop();
  // With the server's last word, or cancelled if that had not arrived yet.
  CHECK(ended.WaitFor(
      2s, [](const auto& value) { return value.has_value(); },
      [](auto& value) { return value.has_value(); }));
}

}  // namespace
}  // namespace fedra::cluster_calls_test
