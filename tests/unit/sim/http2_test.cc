// HTTP/2 as a client meets it: one connection for everything, and what ends one stream or all.

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/unit/sim/curl_client.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::http2_test {
namespace {

using std::chrono::milliseconds;
using Kind = InjectedAnswer::Kind;

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
const std::string kWatch = kConfigMaps + "?watch=1";
constexpr milliseconds kShort{150};  // long enough to see that nothing comes

// How many whole lines of a watch's body there are, each an event.
size_t EventsOf(const CurlClient::Transfer& watch) {
  return static_cast<size_t>(std::count(watch.body.begin(), watch.body.end(), '\n'));
}

std::vector<size_t> Watch(CurlClient& client, Server& server, size_t count) {
  // The first request learns how many streams there may be.
  REQUIRE(client.Ask("GET", "/version").status == 200);
  std::vector<size_t> watches;
  for (size_t i = 0; i < count; ++i) watches.push_back(client.Start("GET", kWatch));
  REQUIRE(client.Run([&] { return server.WatchCount() == count; }));
  return watches;
}

bool AllHave(const CurlClient& client, const std::vector<size_t>& watches, size_t events) {
  return std::all_of(watches.begin(), watches.end(),
                     [&](size_t each) { return EventsOf(client.At(each)) == events; });
}

TEST_CASE("the protocol is the best that client and server both speak") {
  const Server both;
  CHECK(CurlClient(both).Ask("GET", "/version").protocol == "2");
  CHECK(CurlClient(both, CurlClient::Offer::kHttp1).Ask("GET", "/version").protocol == "1.1");
  const Server old({.http2 = false});
  CHECK(CurlClient(old).Ask("GET", "/version").protocol == "1.1");
}

TEST_CASE("90 watches have one connection, and each its events") {
  Server server;
  CurlClient client(server);
  const auto watches = Watch(client, server, 90);
  constexpr size_t kObjects = 20;
  for (size_t i = 0; i < kObjects; ++i) {
    REQUIRE(server.objects().Create(ConfigMap("c" + std::to_string(i))));
  }
  CHECK(client.Run([&] { return AllHave(client, watches, kObjects); }));
  CHECK(client.Ask("GET", kConfigMaps + "/c0").status == 200);  // beside them
  CHECK(server.ConnectionCount() == 1);
}

TEST_CASE("a connection has 100 streams at a time, and what is more takes another one") {
  Server server;
  CurlClient client(server);
  Watch(client, server, 101);
  CHECK(server.ConnectionCount() == 2);
}

TEST_CASE("over HTTP/1.1 each watch has its own connection") {
  Server server({.http2 = false});
  CurlClient client(server, CurlClient::Offer::kHttp1);
  Watch(client, server, 10);
  CHECK(server.ConnectionCount() == 10);
}

TEST_CASE("bodies of both directions are as long as they may be, whatever the windows are") {
  Server server;
  CurlClient client(server);
  // Above the 256 KiB that the server takes of a stream at a time; all together above the 32 MiB
  // that libcurl does.
  constexpr size_t kObjects = 14;
  const std::string value(2'500'000, 'x');
  std::vector<size_t> posts;
  for (size_t i = 0; i < kObjects; ++i) {
    const Json object = ConfigMap("large-" + std::to_string(i), {{"k", value}});
    posts.push_back(client.Start("POST", kConfigMaps, object.dump()));
  }
  REQUIRE(client.Run([&] {
    return std::all_of(posts.begin(), posts.end(),
                       [&](size_t each) { return client.At(each).ended; });
  }));
  for (const size_t each : posts) CHECK(client.At(each).status == 201);
  const auto& list = client.Ask("GET", kConfigMaps);
  REQUIRE(list.failure.empty());
  const Json objects = Json::parse(list.body);
  REQUIRE(objects["items"].size() == kObjects);
  for (const Json& each : objects["items"]) CHECK(each["data"]["k"] == value);

  const auto& patched = client.Ask("PATCH", kConfigMaps + "/large-0", R"({"data":{"k":"small"}})",
                                   "application/merge-patch+json");
  CHECK(patched.status == 200);
  CHECK(Json::parse(patched.body)["data"]["k"] == "small");
  CHECK(client.Ask("DELETE", kConfigMaps + "/large-1").status == 200);
  CHECK(server.ConnectionCount() == 1);
}

TEST_CASE("a body above what an API server reads is refused, and the connection goes on") {
  Server server;
  CurlClient client(server);
  const Json large = ConfigMap("large", {{"k", std::string(size_t{3} << 20, 'x')}});
  const auto& refused = client.Ask("POST", kConfigMaps, large.dump());
  CHECK(refused.status == 413);
  CHECK(Json::parse(refused.body)["message"] == "Request entity too large: limit is 3145728");
  CHECK(client.Ask("POST", kConfigMaps, ConfigMap("small").dump()).status == 201);
  CHECK(server.ConnectionCount() == 1);
}

TEST_CASE("who asks is told by the certificate of the connection") {
  Server server;
  server.SetUser({.name = "robot", .groups = {"robots"}, .token = "", .allow = {}, .deny = {}});
  CurlClient robot(server, CurlClient::Offer::kHttp2, server.IssueCertificate("robot"));
  CHECK_THAT(robot.Ask("GET", kConfigMaps).body,
             ContainsSubstring("User \\\"robot\\\" cannot list"));
}

TEST_CASE("a stream that the client resets ends its watch, and no other one") {
  Server server;
  CurlClient client(server);
  const auto watches = Watch(client, server, 3);
  client.Reset(watches[1]);
  REQUIRE(client.Ask("GET", "/version").status ==
          200);  // libcurl 7.88 keeps a reset until it sends
  CHECK(client.Run([&] { return server.WatchCount() == 2; }));
  REQUIRE(server.objects().Create(ConfigMap("a")));
  CHECK(client.Run([&] { return AllHave(client, {watches[0], watches[2]}, 1); }));
  CHECK(EventsOf(client.At(watches[1])) == 0);
  CHECK(server.ConnectionCount() == 1);
}

TEST_CASE("with the connection of a client all its watches end") {
  Server server;
  {
    CurlClient client(server);
    Watch(client, server, 3);
  }
  CurlClient other(server);
  CHECK(other.Run([&] { return server.WatchCount() == 0; }));
}

TEST_CASE("a server that ends says so, and closes") {
  auto server = std::make_unique<Server>();
  CurlClient client(*server);
  const auto watches = Watch(client, *server, 3);
  server.reset();
  CHECK(client.Run([&] {
    return std::all_of(watches.begin(), watches.end(),
                       [&](size_t each) { return client.At(each).ended; });
  }));
  CHECK_THAT(client.farewells(), ContainsSubstring("GOAWAY, error=0"));
}

TEST_CASE("a server that ends waits for no client that does not read") {
  auto server = std::make_unique<Server>();
  CurlClient client(*server);
  REQUIRE(client.Ask("GET", "/version").status == 200);
  client.Start("GET", kWatch);
  REQUIRE(client.Run([&] { return server->WatchCount() == 1; }));
  const std::string value(900'000, 'x');
  for (int i = 0; i < 20; ++i) {  // above what the sockets hold
    REQUIRE(server->objects().Create(ConfigMap("c" + std::to_string(i), {{"k", value}})));
  }
  const auto before = std::chrono::steady_clock::now();
  server.reset();
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(10));
}

TEST_CASE("a server that hangs says nothing on any stream, and goes on with all of them") {
  Server server;
  CurlClient client(server);
  const auto watches = Watch(client, server, 3);
  server.SetFaults({.hang = true});
  const size_t call = client.Start("GET", "/version");
  REQUIRE(server.objects().Create(ConfigMap("a")));
  CHECK_FALSE(client.RunFor(
      [&] {
        return client.At(call).status != 0 ||
               std::any_of(watches.begin(), watches.end(),
                           [&](size_t each) { return EventsOf(client.At(each)) > 0; });
      },
      kShort));
  server.SetFaults({});
  CHECK(client.Run([&] { return client.At(call).ended && AllHave(client, watches, 1); }));
  CHECK(client.At(call).status == 200);
  CHECK(server.ConnectionCount() == 1);
}

TEST_CASE("dropped connections end every stream") {
  Server server;
  CurlClient client(server);
  const auto watches = Watch(client, server, 3);
  server.DropConnections();
  CHECK(client.Run([&] {
    return std::all_of(watches.begin(), watches.end(), [&](size_t each) {
      return client.At(each).ended && !client.At(each).failure.empty();
    });
  }));
  CHECK(server.WatchCount() == 0);
  CHECK(client.Ask("GET", "/version").status == 200);
}

TEST_CASE("faults of one answer leave the other streams alone") {
  Server server;
  REQUIRE(server.objects().Create(ConfigMap("a", {{"k", "some text"}})));
  CurlClient client(server);
  const auto watches = Watch(client, server, 1);
  const auto inject = [&](InjectedAnswer answer) {
    answer.path_contains = "configmaps/a";
    server.SetFaults({.answers = {std::move(answer)}});
  };
  const auto ask = [&] { return client.Ask("GET", kConfigMaps + "/a"); };

  inject({.kind = Kind::kHang});
  const size_t silent = client.Start("GET", kConfigMaps + "/a");
  CHECK_FALSE(client.RunFor([&] { return client.At(silent).status != 0; }, kShort));
  inject({.kind = Kind::kStatus, .code = 429, .retry_after_seconds = 7});
  CHECK(ask().status == 429);
  inject({.kind = Kind::kTruncatedJson});
  CHECK(Json::parse(ask().body, nullptr, false).is_discarded());
  inject({.kind = Kind::kLatency, .delay = milliseconds(50)});
  CHECK(ask().status == 200);
  inject({.kind = Kind::kHostile, .hostile = "redirect"});
  CHECK(ask().status == 302);
  inject({.kind = Kind::kHostile, .hostile = "wrong-types"});
  CHECK_THAT(ask().body, ContainsSubstring("\"metadata\":\"none\""));
  inject({.kind = Kind::kHostile, .hostile = "slow-list"});
  const size_t slow = client.Start("GET", kConfigMaps + "/a");
  CHECK(client.Run([&] { return client.At(slow).body == "{\""; }));

  CHECK_FALSE(client.At(watches[0]).ended);
  CHECK(server.ConnectionCount() == 1);
  inject({.kind = Kind::kCutConnection});
  CHECK_FALSE(ask().failure.empty());
  CHECK(client.Run([&] { return client.At(watches[0]).ended; }));
}

TEST_CASE("an answer before the answer, without end, is HTTP/2's header that does not end") {
  Server server;
  server.SetFaults(
      {.answers = {
           {.kind = Kind::kHostile, .path_contains = "configmaps", .hostile = "endless-headers"}}});
  CurlClient client(server);
  const auto& answer = client.Ask("GET", kConfigMaps);
  CHECK(answer.status == 103);
  CHECK_FALSE(answer.failure.empty());  // libcurl has had enough
}

TEST_CASE("a watch ends in time, and after as many events as a fault allows") {
  Server server;
  for (const char* name : {"a", "b", "c"}) REQUIRE(server.objects().Create(ConfigMap(name)));
  CurlClient client(server);
  const auto& timed = client.Ask("GET", kWatch + "&timeoutSeconds=1");
  CHECK(timed.failure.empty());
  CHECK(EventsOf(timed) == 3);
  server.SetFaults({.close_watch_after = 2});
  const auto& cut = client.Ask("GET", kWatch);
  CHECK(cut.failure.empty());
  CHECK(EventsOf(cut) == 2);
  CHECK(server.WatchCount() == 0);
}

}  // namespace
}  // namespace fedra::sim::http2_test
