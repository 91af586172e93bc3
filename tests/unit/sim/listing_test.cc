#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::listing_test {
namespace {

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

void Create(Server& server, const std::string& name, const Json& labels = Json::object()) {
  Json object = ConfigMap(name);
  object["metadata"]["labels"] = labels;
  REQUIRE(Post(server, kConfigMaps, object).status == 201);
}

std::string Names(const Json& list) {
  std::string names;
  for (const Json& item : list["items"]) names += item["metadata"]["name"].get<std::string>() + " ";
  return names;
}

// "ADDED a, MODIFIED b, ": the events of a watch from `version` on.
std::string Events(Server& server, const std::string& version, const std::string& more = "") {
  const Reply reply =
      server.Call("GET", kConfigMaps + "?watch=1&resourceVersion=" + version + more);
  std::string events;
  std::istringstream lines(reply.body);
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    events += event["type"].get<std::string>();
    if (event["type"] != "ERROR") {
      events += " " + event["object"]["metadata"]["name"].get<std::string>();
    }
    events += ", ";
  }
  return events;
}

std::string Now(Server& server) {
  return Get(server, kConfigMaps).body["metadata"]["resourceVersion"];
}

TEST_CASE("lists select by labels and by name") {
  Server server;
  Create(server, "a", {{"tier", "x"}, {"env", "p"}});
  Create(server, "b", {{"tier", "y"}});
  Create(server, "c");
  const std::pair<const char*, const char*> rows[] = {
      {"labelSelector=tier%3Dx", "a "},
      {"labelSelector=tier%3D%3Dy", "b "},
      {"labelSelector=tier!%3Dx", "b c "},
      {"labelSelector=tier", "a b "},
      {"labelSelector=!tier", "c "},
      {"labelSelector=tier+in+(x,y)", "a b "},
      {"labelSelector=tier+notin+(x),env", ""},
      {"labelSelector=tier%3Dx,env%3Dp", "a "},
      {"fieldSelector=metadata.name%3Dc", "c "},
      {"fieldSelector=metadata.name!%3Dc", "a b "},
      {"fieldSelector=metadata.namespace%3Ddefault", "a b c "},
  };
  for (const auto& [query, names] : rows) {
    INFO(query);
    CHECK(Names(Get(server, kConfigMaps + "?" + query).body) == names);
  }
  CHECK(Get(server, kConfigMaps + "?fieldSelector=spec.x%3D1").body["message"] ==
        "field label not supported: spec.x");
  CHECK(Get(server, kConfigMaps + "?labelSelector=a+b").status == 400);
}

TEST_CASE("pages continue at the version of the first") {
  Server server;
  for (const char* name : {"a", "b", "c", "d", "e"}) Create(server, name);
  const Json first = Get(server, kConfigMaps + "?limit=2").body;
  CHECK(Names(first) == "a b ");
  const std::string token = first["metadata"]["continue"];
  // Whatever happens in between is not seen by the later pages.
  REQUIRE(Remove(server, kConfigMaps + "/c").status == 200);
  REQUIRE(Merge(server, kConfigMaps + "/d", {{"data", {{"k", "v"}}}}).status == 200);
  Create(server, "cc");
  const Json second = Get(server, kConfigMaps + "?limit=2&continue=" + token).body;
  CHECK(Names(second) == "c d ");
  CHECK_FALSE(second["items"][1].value("data", Json::object()).contains("k"));
  CHECK(second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]);
  const Json third =
      Get(server,
          kConfigMaps + "?limit=2&continue=" + second["metadata"]["continue"].get<std::string>())
          .body;
  CHECK(Names(third) == "e ");
  CHECK_FALSE(third["metadata"].contains("continue"));
}

TEST_CASE("a continue token that is too old answers 410 and a new token") {
  Server server;
  for (const char* name : {"a", "b", "c"}) Create(server, name);
  const std::string token = Get(server, kConfigMaps + "?limit=1").body["metadata"]["continue"];
  server.ExpireHistory();
  const JsonReply gone = Get(server, kConfigMaps + "?limit=1&continue=" + token);
  CHECK(gone.status == 410);
  CHECK(gone.body["reason"] == "Expired");
  const std::string fresh = gone.body["metadata"]["continue"];
  CHECK(Names(Get(server, kConfigMaps + "?limit=1&continue=" + fresh).body) == "b ");
  CHECK(Get(server, kConfigMaps + "?continue=nonsense").status == 400);
}

TEST_CASE("lists at a version") {
  Server server;
  Create(server, "a");
  const std::string before = Now(server);
  Create(server, "b");
  CHECK(
      Names(Get(server, kConfigMaps + "?resourceVersion=" + before + "&resourceVersionMatch=Exact")
                .body) == "a ");
  CHECK(Names(Get(server, kConfigMaps + "?resourceVersion=" + before).body) == "a b ");
  const JsonReply future = Get(server, kConfigMaps + "?resourceVersion=99999999");
  CHECK(future.status == 504);
  CHECK(future.body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge");
}

TEST_CASE("a watch resumes exactly after its version") {
  Server server;
  Create(server, "a");
  const std::string version = Now(server);
  Create(server, "b");
  REQUIRE(Merge(server, kConfigMaps + "/a", {{"data", {{"k", "v"}}}}).status == 200);
  REQUIRE(Remove(server, kConfigMaps + "/b").status == 200);
  CHECK(Events(server, version) == "ADDED b, MODIFIED a, DELETED b, ");
  CHECK(Events(server, Now(server)).empty());
  CHECK(Events(server, "") == "ADDED a, ");
  CHECK(Events(server, "0") == "ADDED a, ");
}

TEST_CASE("objects enter and leave a selecting watch by their labels") {
  Server server;
  Create(server, "a");
  const std::string version = Now(server);
  const auto label = [&](const Json& value) {
    REQUIRE(
        Merge(server, kConfigMaps + "/a", {{"metadata", {{"labels", {{"in", value}}}}}}).status ==
        200);
  };
  label("yes");
  REQUIRE(Merge(server, kConfigMaps + "/a", {{"data", {{"k", "v"}}}}).status == 200);
  label("no");
  REQUIRE(Merge(server, kConfigMaps + "/a", {{"data", {{"k", "w"}}}}).status == 200);
  label("yes");
  REQUIRE(Remove(server, kConfigMaps + "/a").status == 200);
  CHECK(Events(server, version, "&labelSelector=in%3Dyes") ==
        "ADDED a, MODIFIED a, DELETED a, ADDED a, DELETED a, ");
}

TEST_CASE("a watch from a forgotten version gets an ERROR event 410") {
  Server server({.history = 3});
  const std::string version = Now(server);
  for (const char* name : {"a", "b", "c", "d", "e"}) Create(server, name);
  const Reply reply = server.Call("GET", kConfigMaps + "?watch=1&resourceVersion=" + version);
  const Json event = Json::parse(reply.body);
  CHECK(event["type"] == "ERROR");
  CHECK(event["object"]["code"] == 410);
  CHECK(event["object"]["reason"] == "Expired");
  CHECK(event["object"]["message"].get<std::string>().rfind("too old resource version: " + version,
                                                            0) == 0);
  CHECK(server.Call("GET", kConfigMaps + "?watch=1&resourceVersion=abc").status == 500);
}

}  // namespace
}  // namespace fedra::sim::listing_test
