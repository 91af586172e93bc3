// The dashboard's port, in front of a real socket of the API.

#include "manager/dashboard/server.h"

#include <charconv>
#include <string>
#include <vector>

#include "manager/api/server.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/http/raw_client.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::server_test {

using Catch::Matchers::StartsWith;
using httpd::RawClient;

namespace {

struct Fixture {
  Fixture()
      : store(store::Store::Open(
                  {.path = folder.Path("fedra.db"),
                   .on_transaction = [this](const auto& report) { feed.Pass(report.written); }})
                  .value()) {
    for (const auto& row : report::FleetStatus().workloads) store->Enqueue(store::PutWorkload{row});
    REQUIRE(store->Flush());
    daemon =
        api::Server::OnSocket({folder.Path("s"), ""}, {.store = [this] { return store->Read(); },
                                                       .devices = [] { return Unread(); },
                                                       .feed = &feed})
            .value();
    server = dashboard::Server::Start(folder.Path("s"), 0).value();
    const std::string address = server->Address();
    const size_t port_at = std::string_view("http://127.0.0.1:").size();
    std::from_chars(address.data() + port_at, address.data() + address.size(), port);
    secret = address.substr(address.find("#token=") + 7);
  }

  static std::vector<report::DeviceSource> Unread() { return {{"west", "not reached", nullptr}}; }
  std::string Get(const std::string& target, const std::string& headers = "") const {
    RawClient client(port);
    client.Say("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n")
        .Say(headers)
        .Say("Connection: close\r\n\r\n");
    return client.Hear();
  }
  std::string Bearer() const { return "Authorization: Bearer " + secret + "\r\n"; }

  const TempFolder folder;
  api::ChangeFeed feed;
  const std::unique_ptr<store::Store> store;
  std::unique_ptr<api::Server> daemon;
  std::unique_ptr<dashboard::Server> server;
  int port = 0;
  std::string secret;
};

std::string BodyOf(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

}  // namespace

TEST_CASE("dashboard: what the daemon says reaches who has the secret, unchanged") {
  const Fixture f;
  const std::string answer = f.Get("/api/v1alpha1/jobs?all&state=Running", f.Bearer());
  CHECK_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n") &&
                         ContainsSubstring("Content-Security-Policy: default-src 'none'") &&
                         ContainsSubstring("Cache-Control: no-store"));
  RawClient direct(f.folder.Path("s"));
  direct.Say(
      "GET /api/v1alpha1/jobs?all&state=Running HTTP/1.1\r\nHost: fedra\r\nConnection: "
      "close\r\n\r\n");
  CHECK(BodyOf(answer) == BodyOf(direct.Hear()));
  CHECK_THAT(f.Get("/api/v1alpha1/why?job=ml/none", f.Bearer()), StartsWith("HTTP/1.1 404 "));
  CHECK_THAT(f.Get("/"), StartsWith("HTTP/1.1 200 OK\r\n") && ContainsSubstring("<!doctype html>"));
}

TEST_CASE("dashboard: what the daemon warns of, and when to come again, reach the browser") {
  const Fixture f;
  CHECK_THAT(f.Get("/api/v1alpha1/devices", f.Bearer()),
             ContainsSubstring("Warning: 299 fedra \"west: not reached\"\r\n"));
  // As many streams as the daemon gives one user.
  std::vector<RawClient> streams;
  for (int i = 0; i < 16; ++i) {
    streams.emplace_back(f.folder.Path("s"))
        .Say("GET /api/v1alpha1/watch HTTP/1.1\r\nHost: fedra\r\n\r\n");
    CHECK_THAT(streams.back().HearSome(), StartsWith("HTTP/1.1 200"));
  }
  CHECK_THAT(f.Get("/api/v1alpha1/watch", f.Bearer()),
             StartsWith("HTTP/1.1 503 ") && ContainsSubstring("Retry-After: 1\r\n"));
}

TEST_CASE("dashboard: manifests that are posted reach the daemon, with the secret") {
  const Fixture f;
  const auto post = [&](const std::string& headers) {
    RawClient client(f.port);
    client
        .Say("POST /api/v1alpha1/check HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(f.port) +
             "\r\n" + headers)
        .Say("Content-Length: 9\r\nConnection: close\r\n\r\nkind: Job");
    return client.Hear();
  };
  const std::string type = "Content-Type: application/yaml\r\n";
  // This daemon judges nothing, and says so only to what it has read.
  CHECK_THAT(post(f.Bearer() + type), ContainsSubstring("judges no manifests"));
  CHECK_THAT(post(f.Bearer() + "Content-Type: text/plain\r\n"), StartsWith("HTTP/1.1 415 "));
  CHECK_THAT(post(f.Bearer() + type + "Sec-Fetch-Site: cross-site\r\n"),
             StartsWith("HTTP/1.1 403 "));
  CHECK_THAT(post(type), StartsWith("HTTP/1.1 401 "));
}

TEST_CASE("dashboard: without the secret nothing of the daemon's is said") {
  const Fixture f;
  const std::string answer = f.Get("/api/v1alpha1/jobs?all");
  CHECK_THAT(answer, StartsWith("HTTP/1.1 401 ") && !ContainsSubstring("train"));
}

TEST_CASE("dashboard: what a browser has is not sent again") {
  const Fixture f;
  const std::string answer = f.Get("/api/v1alpha1/jobs?all", f.Bearer());
  const size_t at = answer.find("ETag: ");
  REQUIRE(at != answer.npos);
  const std::string tag = answer.substr(at + 6, answer.find("\r\n", at) - at - 6);
  CHECK_THAT(f.Get("/api/v1alpha1/jobs?all", f.Bearer() + "If-None-Match: " + tag + "\r\n"),
             StartsWith("HTTP/1.1 304 "));
}

TEST_CASE("dashboard: a stream of the daemon's reaches the browser, and ends with either") {
  Fixture f;
  CHECK_THAT(f.Get("/api/v1alpha1/watch"), StartsWith("HTTP/1.1 401 "));
  CHECK_THAT(f.Get("/api/v1alpha1/watch?topics=colours", f.Bearer()),
             StartsWith("HTTP/1.1 400 ") && ContainsSubstring("colours"));
  const auto watch = [&] {
    RawClient client(f.port);
    client.Say("GET /api/v1alpha1/watch HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(f.port) +
               "\r\n" + f.Bearer() + "\r\n");
    return client;
  };
  const auto hear_until = [](RawClient& client, const std::string& text, std::string all = {}) {
    while (all.find(text) == all.npos) {
      const std::string some = client.HearSome();
      REQUIRE(!some.empty());
      all += some;
    }
    return all;
  };
  // While places of those who have gone are not free yet, it is refused.
  std::string heard;
  const auto watching = [&] {
    RawClient client = watch();
    REQUIRE(WaitUntil([&] {
      heard = client.HearSome();
      if (heard.starts_with("HTTP/1.1 200")) return true;
      client = watch();
      return false;
    }));
    return client;
  };
  // More, one after the other, than there may be at a time.
  for (int i = 0; i < 20; ++i) (void)watching();
  RawClient client = watching();
  CHECK_THAT(hear_until(client, "event: watching", heard),
             ContainsSubstring("Content-Security-Policy: default-src 'none'") &&
                 ContainsSubstring("Content-Type: text/event-stream"));
  REQUIRE(f.store->Commit({store::PutWorkload{report::Job("fresh", "Running", "a", {})}}));
  (void)hear_until(client, "ml/fresh");
  f.daemon.reset();
  CHECK_THAT(client.Hear(), Catch::Matchers::EndsWith("0\r\n\r\n"));
  CHECK(client.closed());
}

TEST_CASE("dashboard: a stream that nobody takes keeps no place at the daemon") {
  const Fixture f;
  const auto say = [&](const std::string& method) {
    RawClient client(f.port);
    client.Say(method + " /api/v1alpha1/watch HTTP/1.1\r\nHost: 127.0.0.1:" +
               std::to_string(f.port) + "\r\n" + f.Bearer() + "Connection: close\r\n\r\n");
    return client.HearSome();
  };
  // More than one client may have open at the daemon; each is dropped before the next one asks.
  for (int i = 0; i < 20; ++i)
    REQUIRE(WaitUntil([&] { return say("HEAD").starts_with("HTTP/1.1 200 "); }));
  CHECK(WaitUntil([&] { return say("GET").starts_with("HTTP/1.1 200 "); }));
}

TEST_CASE("dashboard: a daemon that is gone is said to be") {
  Fixture f;
  f.daemon.reset();
  CHECK_THAT(
      f.Get("/api/v1alpha1/jobs", f.Bearer()),
      StartsWith("HTTP/1.1 503 ") && ContainsSubstring("the daemon at " + f.folder.Path("s")));
}

TEST_CASE("dashboard: a port that is taken is refused") {
  const Fixture f;
  const auto second = dashboard::Server::Start(f.folder.Path("s"), f.port);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kConnection);
}

}  // namespace fedra::server_test
