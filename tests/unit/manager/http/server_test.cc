// The daemon's HTTP server over real sockets, and clients that want to keep others out.

#include "manager/http/server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "tests/support/catch.h"

namespace fedra::pages {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

// A client that says what it likes.
class Client final {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  Client& Say(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return *this;
  }

  // Everything until the server closes, or says nothing for `limit`.
  std::string Hear(milliseconds limit = 10s) {
    std::string heard;
    char piece[4096];
    pollfd ready{socket_, POLLIN, 0};
    while (::poll(&ready, 1, static_cast<int>(limit.count())) > 0) {
      const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) {
        closed_ = true;
        break;
      }
      heard.append(piece, static_cast<size_t>(got));
    }
    return heard;
  }
  // As Hear() found it.
  bool closed() const { return closed_; }

 private:
  int socket_;
  bool closed_ = false;
};

std::string SubRequest(int port, std::string_view line, std::string_view rest = "") {
  Client client(port);
  client.Say(line).Say(" HTTP/1.1\r\nHost: fedra\r\nConnection: close\r\n").Say(rest).Say("\r\n");
  return client.Hear();
}

struct Fixture {
  Threads threads{1};
  Guarded<bool> metrics_may_end{true};
  HttpServer server;

  explicit Fixture(ServerLimits limits = {})
      : server(threads.loop, threads.pool,
               {.livez = [] { return std::vector<HealthCheck>{{"store", ""}}; },
                .readyz = [] { return std::vector<HealthCheck>{{"manager", ""}}; },
                .metrics =
                    [this] {
                      metrics_may_end.Wait([](bool may) { return may; }, [](bool) {});
                      return std::string("m 1\n");
                    },
                .version = [] { return std::string("{}"); }},
               limits) {
    REQUIRE(server.Start("127.0.0.1:0"));
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
  CHECK_THAT(many.back().Hear(200ms), StartsWith("HTTP/1.1 503"));
  CHECK_THAT(SubRequest(f.port(), "GET /livez"), StartsWith("HTTP/1.1 200"));
  f.metrics_may_end.With([](bool& may) { may = true; });
  f.metrics_may_end.Notify();
  CHECK_THAT(many.front().Hear(1s), EndsWith("m 1\n"));
  CHECK_THAT(SubRequest(f.port(), "GET /metrics"), EndsWith("m 1\n"));
}

TEST_CASE("a request has a few seconds to arrive") {
  Fixture f({.first_request = 50ms, .next_request = 50ms});
  Client silent(f.port());
  CHECK(silent.Hear().empty());
  CHECK(silent.closed());
  Client again(f.port());
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
    CHECK_THAT(client.Hear(200ms), EndsWith("ok"));
    CHECK(!client.closed());
  }
}

}  // namespace
}  // namespace fedra::pages
