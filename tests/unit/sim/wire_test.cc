#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::wire_test {
namespace {

using std::chrono::milliseconds;

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr milliseconds kShort{150};  // long enough to see that nothing comes

uint16_t PortOf(const Server& server) {
  const std::string address = server.Address();
  return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

// A connection that is open.
std::unique_ptr<Client> Connected(const Server& server) {
  auto client = std::make_unique<Client>(PortOf(server), server.CaPem());
  REQUIRE(client->Connect());
  return client;
}

bool CanConnect(const Server& server) { return Client(PortOf(server), server.CaPem()).Connect(); }

// The next event of a watch: its type and its object's name.
std::string NextEvent(Client& client, milliseconds limit = std::chrono::seconds(5)) {
  while (auto line = client.ReceiveLine(limit)) {
    if (line->rfind("{\"type\":", 0) != 0) continue;
    const Json event = Json::parse(*line, nullptr, false);
    const Json& object = event["object"];
    return event["type"].get<std::string>() + " " + object["metadata"].value("name", "");
  }
  return "";
}

// Reads up to the chunk that ends the answer. False: the connection ended before it.
bool Ends(Client& client) {
  while (auto line = client.ReceiveLine()) {
    if (*line == "0") return client.ReceiveLine().has_value();
  }
  return false;
}

std::unique_ptr<Client> Watch(Server& server, const std::string& more = "") {
  auto client = Connected(server);
  REQUIRE(client->Send("GET", kConfigMaps + "?watch=1" + more));
  REQUIRE(client->ReceiveLine() == "HTTP/1.1 200 OK");
  return client;
}

TEST_CASE("one connection serves many requests and bodies of any size") {
  Server server;
  const auto client = Connected(server);
  REQUIRE(client->Send("GET", "/version"));
  const auto version = client->Receive();
  REQUIRE(version);
  CHECK(Json::parse(version->body)["gitVersion"] == "v1.36.3");
  const Json large = ConfigMap("large", {{"k", std::string(900'000, 'x')}});
  REQUIRE(client->Send("POST", kConfigMaps, large.dump()));
  const auto created = client->Receive();
  REQUIRE(created);
  CHECK(created->status == 201);
  REQUIRE(client->Send("GET", kConfigMaps + "/large"));
  const auto read = client->Receive();
  REQUIRE(read);
  CHECK(Json::parse(read->body)["data"] == large["data"]);
  CHECK(server.RequestCounts()["create configmaps"] == 1);
}

TEST_CASE("who asks is told by token or certificate") {
  Server server;
  server.SetUser({.name = "robot", .groups = {"robots"}, .token = "", .allow = {}, .deny = {}});
  const auto client = Connected(server);
  REQUIRE(client->Send("GET", kConfigMaps, "", "", "wrong"));
  CHECK(client->Receive()->status == 401);
  REQUIRE(client->Send("GET", kConfigMaps, "", "", ""));
  const auto anonymous = client->Receive();
  CHECK(anonymous->status == 403);
  CHECK_THAT(anonymous->body, ContainsSubstring("system:anonymous"));

  Client robot(PortOf(server), server.CaPem(), server.IssueCertificate("robot"));
  REQUIRE(robot.Connect());
  REQUIRE(robot.Send("GET", kConfigMaps, "", "", ""));
  CHECK_THAT(robot.Receive()->body, ContainsSubstring("User \\\"robot\\\" cannot list"));
}

TEST_CASE("kubeconfigs carry the credentials of their user") {
  Server server({.name = "east"});
  server.SetUser({.name = "robot", .groups = {}, .token = "", .allow = {}, .deny = {}});
  const std::string admin = server.Kubeconfig();
  CHECK_THAT(admin, ContainsSubstring("current-context: east"));
  CHECK_THAT(admin, ContainsSubstring("server: " + server.Address()));
  CHECK_THAT(admin, ContainsSubstring("token: admin-token"));
  CHECK_THAT(server.Kubeconfig("robot"), ContainsSubstring("client-key-data: "));
}

TEST_CASE("a watch delivers what happens, bookmarks, and ends in time") {
  Server server({.bookmark_interval = milliseconds(50)});
  REQUIRE(server.objects().Create(ConfigMap("a")));
  const auto client = Watch(server, "&allowWatchBookmarks=true&timeoutSeconds=1");
  CHECK(NextEvent(*client) == "ADDED a");
  CHECK(NextEvent(*client) == "BOOKMARK ");
  REQUIRE(server.objects().Create(ConfigMap("b")));
  std::string event;
  while ((event = NextEvent(*client)) == "BOOKMARK ") continue;
  CHECK(event == "ADDED b");
  CHECK(Ends(*client));
  REQUIRE(client->Send("GET", kConfigMaps + "/a"));
  CHECK(client->Receive()->status == 200);
}

TEST_CASE("a watch from a version of the future is silent until the store is beyond it") {
  Server server({.bookmark_interval = milliseconds(20)});
  const Json list = Json::parse(server.Call("GET", kConfigMaps).body);
  const auto version = std::stoull(list["metadata"]["resourceVersion"].get<std::string>());
  const auto watch = [&] {
    return Watch(server, "&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=" +
                             std::to_string(version + 1));
  };
  const auto client = watch();
  CHECK(NextEvent(*watch(), milliseconds(100)).empty());  // no bookmark either
  REQUIRE(server.objects().Create(ConfigMap("unseen")));
  std::string event = NextEvent(*client);
  CHECK(event == "BOOKMARK ");
  REQUIRE(server.objects().Create(ConfigMap("seen")));
  while ((event = NextEvent(*client)) == "BOOKMARK ") continue;
  CHECK(event == "ADDED seen");
}

TEST_CASE("sendInitialEvents marks the end of what existed") {
  Server server;
  REQUIRE(server.objects().Create(ConfigMap("a")));
  const auto client = Watch(server,
                            "&allowWatchBookmarks=true&sendInitialEvents=true"
                            "&resourceVersionMatch=NotOlderThan");
  CHECK(NextEvent(*client) == "ADDED a");
  const auto lines = [&] {
    while (auto line = client->ReceiveLine()) {
      if (line->rfind("{", 0) == 0) return *line;
    }
    return std::string();
  }();
  CHECK_THAT(lines, ContainsSubstring("k8s.io/initial-events-end"));
}

TEST_CASE("hundreds of watches hear the same events") {
  Server server;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(Watch(server));
  for (int i = 0; i < 20; ++i) {
    REQUIRE(server.objects().Create(ConfigMap("c" + std::to_string(i))));
  }
  for (const auto& client : clients) {
    for (int i = 0; i < 20; ++i) {
      CHECK(NextEvent(*client) == "ADDED c" + std::to_string(i));
    }
  }
}

TEST_CASE("a hanging server says nothing and goes on afterwards") {
  Server server;
  REQUIRE(server.objects().Create(ConfigMap("a")));
  const auto watch = Watch(server);
  CHECK(NextEvent(*watch) == "ADDED a");
  const auto client = Connected(server);
  server.SetFaults({.hang = true});
  REQUIRE(client->Send("GET", kConfigMaps + "/a"));
  REQUIRE(server.objects().Create(ConfigMap("b")));
  server.SetFaults({});
  CHECK(client->Receive()->status == 200);
  CHECK(NextEvent(*watch) == "ADDED b");
}

TEST_CASE("a hanging server resets no connection, not even a new one") {
  Server server;
  const auto client = Connected(server);
  server.SetFaults({.hang = true});
  REQUIRE(client->Send("GET", kConfigMaps));
  CHECK_FALSE(client->Receive(kShort));
  CHECK(client->error() == "Connection timed out");
  Client late(PortOf(server), server.CaPem());
  CHECK_FALSE(late.Connect(kShort));
  CHECK(late.error() == "Connection timed out");
  server.SetFaults({});
  CHECK(CanConnect(server));
}

TEST_CASE("a server that refuses comes back on the same port") {
  Server server;
  const auto open = Watch(server);
  server.SetFaults({.refuse = true});
  CHECK_FALSE(CanConnect(server));
  CHECK(NextEvent(*open).empty());
  server.SetFaults({});
  CHECK(CanConnect(server));
}

TEST_CASE("dropped connections can be made again") {
  Server server;
  const auto client = Connected(server);
  server.DropConnections();
  CHECK((!client->Send("GET", "/version") || !client->Receive()));
  CHECK(CanConnect(server));
}

TEST_CASE("certificates that nobody should accept") {
  Server server;
  server.SetFaults({.expired_certificate = true});
  Client expired(PortOf(server), server.CaPem());
  CHECK_FALSE(expired.Connect());
  CHECK_THAT(expired.error(), ContainsSubstring("certificate"));
  server.SetFaults({.foreign_ca = true});
  CHECK_FALSE(CanConnect(server));
  server.SetFaults({});
  CHECK(CanConnect(server));
  const Server other;
  CHECK_FALSE(Client(PortOf(server), other.CaPem()).Connect());
}

TEST_CASE("answers can be replaced") {
  using Kind = InjectedAnswer::Kind;
  Server server;
  REQUIRE(server.objects().Create(ConfigMap("a", {{"k", "some text"}})));
  const auto client = Connected(server);
  const auto ask = [&](InjectedAnswer answer) {
    answer.path_contains = "configmaps";
    server.SetFaults({.answers = {std::move(answer)}});
    REQUIRE(client->Send("GET", kConfigMaps + "/a"));
    return client->Receive(milliseconds(1000));
  };
  const auto busy = ask({.kind = Kind::kStatus, .times = 1, .code = 429, .retry_after_seconds = 7});
  CHECK(busy->status == 429);
  CHECK_THAT(busy->headers.at("head"), ContainsSubstring("Retry-After: 7"));
  CHECK(Json::parse(busy->body)["reason"] == "TooManyRequests");
  REQUIRE(client->Send("GET", kConfigMaps + "/a"));
  CHECK(client->Receive()->status == 200);

  const auto html = ask({.kind = Kind::kHtml, .code = 503});
  CHECK(html->status == 503);
  CHECK_THAT(html->body, ContainsSubstring("<html>"));

  const auto cut = ask({.kind = Kind::kTruncatedJson});
  CHECK(cut->status == 200);
  CHECK(Json::parse(cut->body, nullptr, false).is_discarded());

  const auto late = ask({.kind = Kind::kLatency, .delay = milliseconds(50)});
  CHECK(late->status == 200);
  CHECK_FALSE(ask({.kind = Kind::kCutConnection}));
}

TEST_CASE("rejected credentials") {
  Server server;
  server.SetFaults({.reject_credentials = true});
  const auto client = Connected(server);
  REQUIRE(client->Send("GET", kConfigMaps));
  const auto reply = client->Receive();
  CHECK(reply->status == 401);
  CHECK(Json::parse(reply->body)["reason"] == "Unauthorized");
}

TEST_CASE("watches that break") {
  Server server;
  for (const char* name : {"a", "b", "c"}) REQUIRE(server.objects().Create(ConfigMap(name)));
  SECTION("after some events") {
    server.SetFaults({.close_watch_after = 2});
    const auto client = Watch(server);
    CHECK(NextEvent(*client) == "ADDED a");
    CHECK(NextEvent(*client) == "ADDED b");
    CHECK(Ends(*client));
  }
  SECTION("with 410 although the version is known") {
    server.SetFaults({.watch_too_old = true});
    const std::string version = Get(server, kConfigMaps).body["metadata"]["resourceVersion"];
    const auto client = Watch(server, "&resourceVersion=" + version);
    CHECK(NextEvent(*client) == "ERROR ");
    CHECK(Ends(*client));
  }
  SECTION("with garbage") {
    server.SetFaults({.watch_garbage = true});
    const auto client = Watch(server);
    bool garbage = false;
    while (auto line = client->ReceiveLine(kShort)) {
      garbage = garbage || line->find("this is not JSON") != std::string::npos;
    }
    CHECK(garbage);
  }
  SECTION("by losing events") {
    const auto client = Watch(server);
    for (const char* name : {"a", "b", "c"}) {
      CHECK(NextEvent(*client) == std::string("ADDED ") + name);
    }
    server.SetFaults({.lose_events = true});
    REQUIRE(server.objects().Create(ConfigMap("d")));
    CHECK(NextEvent(*client, kShort).empty());
  }
}

TEST_CASE("continue tokens that expire") {
  Server server;
  for (const char* name : {"a", "b"}) REQUIRE(server.objects().Create(ConfigMap(name)));
  const std::string token = Get(server, kConfigMaps + "?limit=1").body["metadata"]["continue"];
  server.SetFaults({.expire_continue = true});
  CHECK(Get(server, kConfigMaps + "?limit=1&continue=" + token).status == 410);
}

}  // namespace
}  // namespace fedra::sim::wire_test
