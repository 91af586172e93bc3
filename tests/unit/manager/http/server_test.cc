// The daemon's HTTP server over real sockets, and clients that want to keep others out.

#include "manager/http/server.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::httpd::server_test {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Client = RawClient;

std::string SubRequest(int port, std::string_view line, std::string_view rest = "") {
  Client client(port);
  client.Say(line).Say(" HTTP/1.1\r\nHost: fedra\r\nConnection: close\r\n").Say(rest).Say("\r\n");
  return client.Hear();
}

struct Fixture {
  Threads threads{1};
  Guarded<bool> metrics_may_end{true};
  Guarded<std::string> metrics{"m 1\n"};
  HttpServer server;

  explicit Fixture(ServerLimits limits = {})
      : server(threads.loop, threads.pool,
               {.livez = [] { return std::vector<HealthCheck>{{"store", ""}}; },
                .readyz = [] { return std::vector<HealthCheck>{{"manager", ""}}; },
                .metrics =
                    [this] {
                      metrics_may_end.Wait([](bool may) { return may; }, [](bool) {});
                      return metrics.Copy();
                    },
                .version = [] { return std::string("{}"); }},
               limits) {
    REQUIRE(server.Start("127.0.0.1:0"));
  }
  // What is still being answered ends before what it is made of.
  ~Fixture() {
    server.Stop();
    threads.Stop();
  }
  int port() const { return server.port(); }
};

TEST_CASE("clients that never finish their request do not keep a kubelet out") {
  Fixture f;
  std::vector<Client> silent;
  for (int i = 0; i < 300; ++i) {
    silent.emplace_back(f.port());
    if (i % 2 == 0) silent.back().Say("GET /livez HTTP/1.1\r\nHost: fed");
  }
  CHECK_THAT(SubRequest(f.port(), "GET /livez"),
             StartsWith("HTTP/1.1 200") && EndsWith("\r\n\r\nok"));
  CHECK_THAT(SubRequest(f.port(), "GET /readyz"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("health pages do not wait for the others") {
  Fixture f;
  f.metrics_may_end.With([](bool& may) { may = false; });
  Client slow(f.port());
  slow.Say("GET /metrics HTTP/1.1\r\nHost: fedra\r\nConnection: close\r\n\r\n");
  CHECK(slow.Hear(50ms).empty());
  CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(SubRequest(f.port(), "GET /readyz?verbose"), ContainsSubstring("[+]manager ok"));
  f.metrics_may_end.With([](bool& may) { may = true; });
  f.metrics_may_end.Notify();
  CHECK_THAT(slow.Hear(), EndsWith("m 1\n"));
}

TEST_CASE("clients that ask for slow pages do not keep a kubelet out either") {
  Fixture f;
  f.metrics_may_end.With([](bool& may) { may = false; });
  std::vector<Client> many;
  for (int i = 0; i < 100; ++i) {
    many.emplace_back(f.port());
    many.back().Say("GET /metrics HTTP/1.1\r\nHost: fedra\r\n\r\n");
  }
  CHECK_THAT(many.back().HearAnswer(), StartsWith("HTTP/1.1 503"));
  CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
  f.metrics_may_end.With([](bool& may) { may = true; });
  f.metrics_may_end.Notify();
  CHECK_THAT(many.front().HearAnswer(), EndsWith("m 1\n"));
  CHECK_THAT(SubRequest(f.port(), "GET /metrics"), EndsWith("m 1\n"));
}

TEST_CASE("clients that ask for metrics and do not read them do not keep a kubelet out") {
  Fixture f({.write = {.whole = 300s, .pause = 300s}});
  f.metrics.With([](std::string& text) { text = std::string(size_t{8} << 20, 'm'); });
  std::vector<Client> many;
  for (int i = 0; i < 200; ++i) {
    many.emplace_back(f.port());
    many.back().Say("GET /metrics HTTP/1.1\r\nHost: fedra\r\n\r\n");
    if (i % 20 != 0) continue;
    CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
    CHECK_THAT(SubRequest(f.port(), "GET /readyz"), StartsWith("HTTP/1.1 200"));
  }
  // Prometheus, too: the oldest of the crowd have made room.
  CHECK_THAT(many.back().HearSome(), StartsWith("HTTP/1.1"));
  CHECK(
      WaitUntil([&] { return SubRequest(f.port(), "GET /metrics").starts_with("HTTP/1.1 200"); }));
}

TEST_CASE("a kubelet gets its page although the same client has just taken all room for answers") {
  Fixture f(
      {.write = {.whole = 300s, .pause = 300s}, .answer_bytes = size_t{8} << 20, .stalled = 300s});
  f.metrics.With([](std::string& text) { text = std::string(size_t{8} << 20, 'm'); });
  Client first(f.port());
  first.Say("GET /metrics HTTP/1.1\r\nHost: fedra\r\n\r\n");
  CHECK_THAT(first.HearSome(), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(SubRequest(f.port(), "GET /metrics"), StartsWith("HTTP/1.1 503"));
  CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(SubRequest(f.port(), "GET /readyz"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("of a crowd from one address none from another one makes room") {
  Fixture f({.connections = 8});
  Client kept(f.port(), 2);
  kept.Say("GET /version HTTP/1.1\r\nHost: fedra\r\n\r\n");
  CHECK_THAT(kept.HearAnswer(), EndsWith("{}"));
  std::vector<Client> crowd;
  for (int i = 0; i < 50; ++i) crowd.emplace_back(f.port(), 3);
  CHECK(crowd.front().Hear().empty());
  CHECK(crowd.front().closed());
  kept.Say("GET /version HTTP/1.1\r\nHost: fedra\r\n\r\n");
  CHECK_THAT(kept.HearAnswer(), EndsWith("{}"));
}

TEST_CASE("who takes an answer drop by drop is cut") {
  Fixture f({.write = {.whole = 300s, .pause = 200ms, .bytes = size_t{8} << 20}});
  f.metrics.With([](std::string& text) { text = std::string(size_t{16} << 20, 'm'); });
  Client drop(f.port());
  drop.Say("GET /metrics HTTP/1.1\r\nHost: fedra\r\n\r\n");
  const size_t whole = size_t{16} << 20;
  size_t heard = 0;
  const auto begun = std::chrono::steady_clock::now();
  CHECK(WaitUntil([&] {
    heard += drop.HearSome().size();
    return std::chrono::steady_clock::now() - begun > 600ms;
  }));
  heard += drop.Hear().size();
  CHECK(drop.closed());
  CHECK(heard < whole);
}

TEST_CASE("the listener for kubelets has health pages alone, whoever asks what") {
  Threads threads{1};
  HealthServer server(threads.loop,
                      {.livez = [] { return std::vector<HealthCheck>{{"progress", ""}}; },
                       .readyz = [] { return std::vector<HealthCheck>{{"manager", "away"}}; },
                       .metrics = [] { return std::string("m 1\n"); },
                       .version = [] { return std::string("{}"); }});
  REQUIRE(server.Start("127.0.0.1:0"));
  std::vector<Client> silent;
  for (int i = 0; i < 300; ++i) {
    silent.emplace_back(server.port());
    if (i % 2 == 0) silent.back().Say("GET /metrics HTTP/1.1\r\nHost: fed");
  }
  CHECK_THAT(SubRequest(server.port(), "GET /livez"), EndsWith("\r\n\r\nok"));
  CHECK_THAT(SubRequest(server.port(), "GET /readyz"),
             StartsWith("HTTP/1.1 500") && ContainsSubstring("manager failed: reason withheld"));
  for (const char* line : {"GET /metrics", "GET /version", "GET /", "GET /api/v1alpha1/jobs"})
    CHECK_THAT(SubRequest(server.port(), line), StartsWith("HTTP/1.1 404"));
  CHECK_THAT(SubRequest(server.port(), "POST /livez"), StartsWith("HTTP/1.1 405"));
}

TEST_CASE("a request has a few seconds to arrive") {
  Fixture first({.first_request = 50ms});
  Client silent(first.port());
  CHECK(silent.Hear().empty());
  CHECK(silent.closed());
  Fixture next({.next_request = 50ms});
  Client again(next.port());
  again.Say("GET /version HTTP/1.1\r\nHost: fedra\r\n\r\n");
  CHECK_THAT(again.Hear(), EndsWith("{}"));
  CHECK(again.closed());
}

TEST_CASE("requests that are not taken are answered, not reset") {
  struct Row {
    const char* what;
    std::string line;
    std::string rest;
    const char* status;
    const char* says;
  };
  const Row rows[] = {
      {"a long URL", "GET /" + std::string(100'000, 'x'), "", "HTTP/1.1 414", "the URL is longer"},
      {"a long header", "GET /livez", "X-A: " + std::string(100'000, 'x') + "\r\n", "HTTP/1.1 431",
       "the headers are longer"},
      {"many headers", "GET /livez",
       [] {
         std::string lines;
         for (int i = 0; i < 5'000; ++i) lines += "X-" + std::to_string(i) + ": y\r\n";
         return lines;
       }(),
       "HTTP/1.1 431", "the headers are longer"},
      {"nonsense", "\x01\x02", "", "HTTP/1.1 400", "not an HTTP request"},
      {"POST", "POST /livez", "", "HTTP/1.1 405", "Allow: GET, HEAD\r\n"},
      {"POST with a body", "POST /livez", "Content-Length: 3\r\n\r\nabc", "HTTP/1.1 405",
       "Allow: GET, HEAD\r\n"},
      {"GET with a body", "GET /version", "Content-Length: 3\r\n\r\nabc", "HTTP/1.1 200",
       "\r\n\r\n{}"},
  };
  Fixture f;
  for (const Row& row : rows) {
    INFO(row.what);
    const std::string answer = SubRequest(f.port(), row.line, row.rest);
    CHECK_THAT(answer, StartsWith(row.status));
    CHECK_THAT(answer, ContainsSubstring(row.says));
  }
  CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("HEAD is GET without the body") {
  Fixture f;
  const std::string answer = SubRequest(f.port(), "HEAD /livez");
  CHECK_THAT(answer, StartsWith("HTTP/1.1 200"));
  CHECK_THAT(answer, ContainsSubstring("Content-Length: 2\r\n") && EndsWith("\r\n\r\n"));
}

TEST_CASE("a connection serves one request after the other") {
  Fixture f;
  Client client(f.port());
  for (int i = 0; i < 3; ++i) {
    client.Say("GET /livez HTTP/1.1\r\nHost: fedra\r\n\r\n");
    CHECK_THAT(client.HearAnswer(), EndsWith("ok"));
    CHECK(!client.closed());
  }
}

}  // namespace
}  // namespace fedra::httpd::server_test
